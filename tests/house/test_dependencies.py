"""Every import is declared, and every declaration has an upper bound or a reason beside it."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house import tree

REQUIREMENT = re.compile(r'^\s*"?([A-Za-z][A-Za-z0-9._-]*(?:\[[^\]]*\])?(?:[<>=~!][^"#;]*)?)"?,?\s*(#.*)?$')
CAPPED = frozenset({"<", "<=", "==", "~="})


def uncapped(lines: list[str]) -> list[str]:
    """Return requirement lines with neither an upper bound nor a comment on the line or right above it."""
    found = []
    for above, line in zip(["", *lines], lines, strict=False):
        match = REQUIREMENT.match(line)
        if not match or match[2] or above.lstrip().startswith("#"):
            continue
        if not CAPPED & {clause.operator for clause in Requirement(match[1]).specifier}:
            found.append(line.strip())
    return found


def declared_lines() -> list[str]:
    """Return the lines of pyproject.toml between a dependency list's opening and closing bracket."""
    lines, is_inside = [], False
    for line in tree.text("pyproject.toml").split("[tool.", 1)[0].splitlines():
        if is_inside and not line.startswith("]"):
            lines.append(line)
        opens = re.match(r"(dependencies|dev|requires) = \[(.*)$", line)
        is_inside = (is_inside or (bool(opens) and "]" not in line)) and not line.startswith("]")
    return lines


REQUIREMENTS = ("requirements-setup.in", "requirements-bench.in", "requirements-servers.in")


def test_every_dependency_is_capped_or_says_why_not() -> None:
    listed = (tree.text(name).splitlines() for name in REQUIREMENTS)
    lines = [*declared_lines(), *(line for lines in listed for line in lines)]
    assert len([line for line in lines if REQUIREMENT.match(line)]) > 20, "the lists were not found"
    assert not uncapped(lines), tree.listing(uncapped(lines))


def test_a_missing_cap_is_seen() -> None:
    lines = ['  "good>=1,<2",', '  "bare",', '  "open[x]>=1.5",', "  # dated by its calendar", '  "dated>=2026.1",']
    assert uncapped(lines) == ['"bare",', '"open[x]>=1.5",']


def test_the_optional_and_build_dependencies_are_capped() -> None:
    project = tomllib.loads(tree.text("pyproject.toml"))
    lists = [project["build-system"]["requires"], *project["project"]["optional-dependencies"].values()]
    for wanted in [Requirement(line) for wanted_lines in lists for line in wanted_lines]:
        assert CAPPED & {clause.operator for clause in wanted.specifier}, wanted


def test_the_tests_imports_are_declared() -> None:
    """Check the tests' imports, because deptry checks only the packages.

    The driver of a published client runs in that client's environment, which has a separate lock.
    """
    project = tomllib.loads(tree.text("pyproject.toml"))
    lines = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    lines += [line for extra in project["project"]["optional-dependencies"].values() for line in extra]
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    ours = {*tree.PACKAGES, "tests", "__future__"} | sys.stdlib_module_names
    homes = packages_distributions()
    undeclared = {
        f"{path}:{line} imports {name}"
        for path in tree.modules("tests")
        if not re.fullmatch(r"tests/clients/\w+/drive\.py", path)
        for name, line in tree.imports(path)
        if (top := name.split(".", 1)[0]) not in ours
        and not declared & {canonicalize_name(home) for home in homes.get(top, [])}
    }
    assert not undeclared, tree.listing(sorted(undeclared))
