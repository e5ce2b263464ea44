"""The input of the house tests: the project's own files, and their syntax trees, each read once."""

import ast
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("domain", "connectors", "configs", "tasks", "flows", "deployments")
MADE_BY_TOOLS = frozenset({".git", ".venv", "var", "__pycache__", "dist", "build"})


@cache
def files() -> tuple[str, ...]:
    """Return the project's files relative to its root: those that git tracks or would track; without git, all."""
    try:
        listed = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return tuple(sorted(_walked(ROOT)))
    return tuple(path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file())


def _walked(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.name in MADE_BY_TOOLS or path.name.endswith(("_cache", ".egg-info", ".hypothesis")):
            continue
        if path.is_dir():
            yield from _walked(path)
        else:
            yield path.relative_to(ROOT).as_posix()


def modules(*folders: str) -> tuple[str, ...]:
    """Return the Python files below the given top-level folders; by default, below the packages and tests."""
    tops = folders or (*PACKAGES, "tests")
    return tuple(path for path in files() if path.endswith(".py") and path.split("/", 1)[0] in tops)


@cache
def text(path: str) -> str:
    """Return a file's text; bytes that are no UTF-8 show as replacement characters."""
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


@cache
def syntax(path: str) -> ast.Module:
    """Return a module's syntax tree."""
    return ast.parse(text(path), filename=path)


@cache
def nodes(path: str) -> tuple[ast.AST, ...]:
    """Return every node of a module's syntax tree; a walk takes as long as parsing does."""
    return tuple(ast.walk(syntax(path)))


def defines(path: str, name: str) -> bool:
    """Return whether a module defines a class, a function or a method of this name."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, kinds) and node.name == name for node in nodes(path))


def imports(path: str) -> Iterator[tuple[str, int]]:
    """Yield every absolute import of a module, lazy ones too: (dotted name of the module imported from, line)."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, node.lineno


def targets(path: str) -> Iterator[str]:
    """Yield dotted names that a module's imports may load: `a.b` and `a.b.c` for `from a.b import c`."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def listing(findings: Iterable[object]) -> str:
    """Return findings, one a line, for the message of an assertion."""
    return "".join(f"\n  {finding}" for finding in findings)
