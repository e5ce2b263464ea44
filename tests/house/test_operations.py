"""Each documented operation is in one table of its connector; table, field tables, client and emulator agree.

A row is `| METHOD /path | clause | assumptions | client's call(s) | emulator's function |`: see a connector's README.
"""

import ast
import importlib
import inspect
import re
import tomllib
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, get_origin, get_type_hints

import pytest

from connectors.emulation.clock import Clock
from connectors.emulation.fault_injection import FaultInjector
from connectors.emulation.faults import Faults
from connectors.emulation.state_file import Store
from connectors.emulation.system import SharedParts
from connectors.http.auth import BasicPair
from connectors.http.session import HttpSession
from tests.house import tree

# Operations that the documents describe or link to; one from later documentation has `extension = true`.
TOTALS: Final = {"nfse": 49, "nfe": 8, "identity": 12, "orders": 15}
SYSTEMS: Final = tuple(sorted(TOTALS))

HEAD: Final = ["Operation", "Clause", "Assumed", "Call", "Emulator"]
_OPERATION: Final = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`\s]*)`")
_NAME: Final = re.compile(r"`([\w.]+)`")
_ASSUMPTION: Final = re.compile(r"\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table: its cells, without decoration."""

    method: str
    path: str
    clause: str
    assumed: tuple[str, ...]
    calls: tuple[str, ...]
    emulator: str


def section(readme: str, title: str) -> list[list[str]]:
    """Return the cells of every table row right under a heading, without the rule below the table's head."""
    _, _, rest = readme.partition(f"\n## {title}\n")
    lines = re.split(r"\n##+ ", rest, maxsplit=1)[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [row for row in rows if set("".join(row)) - set("-: ")]


@cache
def readme(system: str) -> str:
    path = f"connectors/{system}/README.md"
    return tree.text(path) if path in tree.files() else ""


@cache
def table(system: str) -> tuple[Row, ...]:
    """Return the table of a system. It has exactly the first five columns; prose says the rest."""
    head, *rows = section(readme(system), "Operations") or [[]]
    assert head == HEAD, f"connectors/{system}/README.md: the head of Operations is {head}"
    return tuple(map(_row, rows))


def _row(cells: list[str]) -> Row:
    operation = _OPERATION.fullmatch(cells[0])
    assert operation, f"no operation: {cells[0]}"
    emulator = _NAME.fullmatch(cells[4])
    assert emulator, f"no function of the emulator: {cells}"
    calls, assumed = tuple(_NAME.findall(cells[3])), tuple(_ASSUMPTION.findall(cells[2]))
    return Row(operation[1], operation[2], cells[1], assumed, calls, emulator[1])


@cache
def operations(system: str) -> dict[str, dict[str, Any]]:
    """Return `[operations]` of a system's field tables."""
    found: dict[str, dict[str, Any]] = tomllib.loads(tree.text(f"connectors/{system}/fields.toml"))["operations"]
    return found


@cache
def client(system: str) -> Any:
    """Return the system's client on a session that is never opened, with every option turned on."""
    module = importlib.import_module(f"connectors.{system}.client")
    (kind,) = (made for name, made in vars(module).items() if name.endswith("Client"))
    hints = inspect.signature(kind).parameters.values()
    options = {hint.name: True for hint in hints if hint.kind is hint.KEYWORD_ONLY}
    return kind(HttpSession("http://127.0.0.1:9", BasicPair("nobody", "nothing")), **options)


def is_call(member: Any) -> bool:
    """Return whether a method sends a request: it is a coroutine, or yields the answer page by page."""
    if not inspect.ismethod(member) or member.__name__.startswith("_"):
        return False
    if inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member):
        return True
    return get_origin(get_type_hints(member).get("return")) in (AsyncGenerator, AsyncIterator)


def calls(system: str) -> Iterator[str]:
    """Yield every call of the client as `noun.call`."""
    for noun, holder in inspect.getmembers(client(system)):
        if type(holder).__module__.startswith(f"connectors.{system}."):
            yield from (f"{noun}.{name}" for name, member in inspect.getmembers(holder) if is_call(member))


@cache
def served(system: str) -> dict[str, str]:
    """Return operation → `module.function` that handles it in the running emulator."""
    module = importlib.import_module(f"connectors.{system}.emulator.system")
    (emulator,) = (made for name, made in vars(module).items() if name.endswith("Emulator"))
    store = Store(None, emulator.schema)
    found: dict[str, str] = {}

    class Watched(SharedParts):
        def dispatcher(self, operations: Any, handlers: Any, **more: Any) -> Any:
            found.update({name: _named(handler, system) for name, handler in handlers.items()})
            return super().dispatcher(operations, handlers, **more)

    try:
        clock = Clock(store)
        emulator(Watched(store, Faults(store, clock.now), FaultInjector(None), clock, lambda: 0.0))
    finally:
        store.close()
    return found


def _named(handler: Any, system: str) -> str:
    while isinstance(handler, partial):
        handler = handler.func
    return f"{handler.__module__.removeprefix(f'connectors.{system}.emulator.')}.{handler.__name__}"


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_table_lists_the_operations_of_the_field_tables(system: str) -> None:
    listed = Counter(f"{row.method} {row.path}" for row in table(system))
    named = Counter(f"{entry['method']} {entry['path']}" for entry in operations(system).values())
    assert listed == named


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_operation_of_the_document_is_missing(system: str) -> None:
    documented = [name for name, entry in operations(system).items() if not entry.get("extension")]
    assert len(documented) == TOTALS[system]


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_operation_has_a_clause_and_known_assumptions(system: str) -> None:
    known = {row[0] for row in section(readme(system), "Assumed")}
    assert [row for row in table(system) if not row.clause] == []
    lost = {number for row in table(system) for number in row.assumed} - known
    assert not lost, f"assumptions that the README does not number: {sorted(lost)}"


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_operation_has_a_call_and_each_call_an_operation(system: str) -> None:
    without = [f"{row.method} {row.path}" for row in table(system) if not row.calls]
    assert not without, tree.listing(without)
    assert {call for row in table(system) for call in row.calls} == set(calls(system))


@pytest.mark.parametrize("system", SYSTEMS)
def test_emulator_handles_each_operation_where_the_table_says(system: str) -> None:
    by_route = {(entry["method"], entry["path"]): name for name, entry in operations(system).items()}
    found = {by_route.get((row.method, row.path), row.path): row.emulator for row in table(system)}
    assert served(system) == found


@pytest.mark.parametrize("system", SYSTEMS)
def test_field_tables_are_compared_with_client_and_requests(system: str) -> None:
    held = f"tests/connectors/{system}/test_fields.py"
    assert held in tree.files(), f"{held}: nothing holds the client's models against the field tables"


def test_the_line_never_cancels_a_batch() -> None:
    """That would act on every note at once: a step for a person, who knows the reason."""
    found = [
        f"{path}:{node.lineno}"
        for path in tree.modules("tasks", "flows")
        for node in tree.nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr == "cancel"
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "batches"
    ]
    assert not found, tree.listing(found)
