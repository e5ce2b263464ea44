"""Make `docs/operations.md`: each operation of the provider's documents, and the commands and flows that reach it."""

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from cyclopts import App

from configs.catalogue import Catalogue
from flows.cli import COMMANDS, command_line
from tests.house import tree
from tests.house.test_operations import SYSTEMS, operations, table

PAGE: Final = "docs/operations.md"
REACHED: Final = "docs/reached.toml"
_FLOW: Final = "flow:"
_TITLES: Final = {
    "nfse": "Service invoices",
    "nfe": "Product invoices",
    "orders": "Orders and paid invoices",
    "identity": "Identity",
}
_HEAD: Final = """\
# Operations

Every operation that the provider's documents name, or that a later documentation adds (*extension*): the call of our
client, where the emulator answers it, and the command or flow that reaches it. This page is made from the tables of the
connectors' READMEs and from `docs/reached.toml` by `python -m tests.house.operations_page`; a test compares them.
"""


@cache
def reached() -> Mapping[str, Mapping[str, list[str]]]:
    """Return the commands and flows by system and operation."""
    found: dict[str, dict[str, list[str]]] = tomllib.loads(tree.text(REACHED))
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


def flows() -> frozenset[str]:
    """Return the flows that the list may name."""
    paths = [path.removeprefix("flows/").removesuffix(".py") for path in tree.modules("flows")]
    return frozenset(f"{_FLOW}{name}" for name in paths if hasattr(importlib.import_module(f"flows.{name}"), name))


def page() -> str:
    """Return the whole page."""
    parts = [_HEAD, _sum()]
    for system in _TITLES:
        head = [f"## {_TITLES[system]}", "", "| Operation | Call | Emulator | Reached by |", "|---|---|---|---|"]
        parts.append("\n".join([*head, *_rows(system), ""]))
    return "\n".join(parts)


def _sum() -> str:
    told = []
    for system in _TITLES:
        documented = {name for name, entry in operations(system).items() if not entry.get("extension")}
        count = len(documented & reached().get(system, {}).keys())
        told.append(f"| {_TITLES[system]} | {len(documented)} | {count} |")
    return "\n".join(["| System | Documented | Reached |", "|---|---|---|", *told, ""])


def _rows(system: str) -> Iterator[str]:
    by_route = {(entry["method"], entry["path"]): (name, entry) for name, entry in operations(system).items()}
    for row in table(system):
        name, entry = by_route[row.method, row.path]
        calls = ", ".join(f"`{each}`" for each in row.calls)
        ways = ", ".join(_said(way) for way in reached().get(system, {}).get(name, ())) or "–"
        extension = " *extension*" if entry.get("extension") else ""
        yield f"| `{row.method} {row.path}`{extension} | {calls} | `{row.emulator}` | {ways} |"


def _said(way: str) -> str:
    return f"flow `{way.removeprefix(_FLOW)}`" if way.startswith(_FLOW) else f"`faturista {way}`"


def unknown() -> list[str]:
    """Return names in the list that do not exist: systems, operations, commands, flows."""
    ways = commands() | flows()
    found: list[Any] = [system for system in reached() if system not in SYSTEMS]
    for system in SYSTEMS:
        for name, named in reached().get(system, {}).items():
            found += [f"{system} {name}"] if name not in operations(system) else []
            found += [f"{name}: {way}" for way in named if way not in ways]
    return found


if __name__ == "__main__":
    (tree.ROOT / PAGE).write_text(page(), encoding="utf-8")
