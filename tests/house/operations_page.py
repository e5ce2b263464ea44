"""Make `docs/operations.md`: each operation of the provider's documents, and the commands and flows that reach it."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from cyclopts import App

from configs.catalogue import Catalogue
from flows.cli import COMMANDS, command_line
from tests.flows.witness import claims
from tests.house import tree
from tests.house.test_operations import SYSTEMS, operations, table

PAGE: Final = "docs/operations.md"
_TITLES: Final = {
    "nfse": "Service invoices",
    "nfe": "Product invoices",
    "orders": "Orders and paid invoices",
    "identity": "Identity",
}
_HEAD: Final = """\
# Operations

Every operation that the provider's documents name, or that a later documentation adds (*extension*): the call of our
client, where the emulator answers it, the commands that reach it, and the tests that run them and see it sent. This
page is made from the tables of the connectors' READMEs and from `docs/reached.toml` by
`python -m tests.house.operations_page`; a test compares them.
"""


@cache
def reached() -> Mapping[str, Mapping[str, str]]:
    """Return by operation the commands that send it, each with the test that proves it."""
    found: dict[str, dict[str, str]] = {}
    for test, claimed in claims().items():
        for command, names in claimed.items():
            for name in names:
                found.setdefault(name, {})[command] = test
    return found


@cache
def commands() -> frozenset[str]:
    """Return every command as a person types it, with its subcommand."""
    app = command_line(Catalogue.load("en"))
    return frozenset(name for first in COMMANDS for name in _names(app[first], first))


def _names(app: App, path: str) -> Iterator[str]:
    subs = [name for name in app if not name.startswith("-")]
    if not subs:
        yield path
    for name in subs:
        yield from _names(app[name], f"{path} {name}")


def is_command(claim: str) -> bool:
    """Whether a claim is a command, perhaps with the kind of record that it is about."""
    return claim in commands() or claim.rpartition(" ")[0] in commands()


def page() -> str:
    """Return the whole page."""
    parts = [_HEAD, _sum()]
    for system in _TITLES:
        head = [
            f"## {_TITLES[system]}",
            "",
            "| Operation | Call | Emulator | Reached by | Proved by |",
            "|---|---|---|---|---|",
        ]
        parts.append("\n".join([*head, *_rows(system), ""]))
    return "\n".join(parts)


def _sum() -> str:
    found = []
    for system in _TITLES:
        documented = {name for name, entry in operations(system).items() if not entry.get("extension")}
        count = len(documented & reached().keys())
        found.append(f"| {_TITLES[system]} | {len(documented)} | {count} |")
    return "\n".join(["| System | Documented | Reached |", "|---|---|---|", *found, ""])


def _rows(system: str) -> Iterator[str]:
    by_route = {(entry["method"], entry["path"]): (name, entry) for name, entry in operations(system).items()}
    for row in table(system):
        name, entry = by_route[row.method, row.path]
        calls = ", ".join(f"`{each}`" for each in row.calls)
        ways = ", ".join(f"`faturista {command}`" for command in reached().get(name, ())) or "–"
        proofs = ", ".join(f"`{_short(test)}`" for test in dict.fromkeys(reached().get(name, {}).values())) or "–"
        extension = " *extension*" if entry.get("extension") else ""
        yield f"| `{row.method} {row.path}`{extension} | {calls} | `{row.emulator}` | {ways} | {proofs} |"


def _short(test: str) -> str:
    """Return a test's name without its folder."""
    return test.rpartition("/")[2]


def unknown() -> list[str]:
    """Return what the list names and does not exist: operations, commands, tests."""
    known = {name for system in SYSTEMS for name in operations(system)}
    tests = {path: tree.syntax(path) for path in {test.partition("::")[0] for test in claims()}}
    found = [name for name in reached() if name not in known]
    found += [command for claimed in claims().values() for command in claimed if not is_command(command)]
    for test in claims():
        path, _, name = test.partition("::")
        if not any(isinstance(node, ast.FunctionDef) and node.name == name for node in tests[path].body):
            found.append(test)
    return found


if __name__ == "__main__":
    (tree.ROOT / PAGE).write_text(page(), encoding="utf-8")
