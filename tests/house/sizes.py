"""Measure sizes against an aim and a limit. `python -m tests.house.sizes` prints the worst of each kind."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.house import tree

AIM_AND_LIMIT: Final = {
    "lines in a module": (250, 400),
    "lines in a function": (30, 60),
    "lines in a station's entry": (6, 10),
    "positional parameters": (3, 5),
}
ENTRIES: Final = ("tasks/entries.py", "tasks/order_entries.py")
# A migration lists the changes of its day and is never edited again.
MIGRATIONS: Final = "connectors/ledger/migrations/versions/"


@dataclass(frozen=True, slots=True)
class Size:
    """One measured thing: its kind, place and size."""

    kind: str
    where: str
    value: int

    @property
    def is_above_aim(self) -> bool:
        return self.value > AIM_AND_LIMIT[self.kind][0]

    @property
    def is_refused(self) -> bool:
        return self.value > AIM_AND_LIMIT[self.kind][1]

    def __str__(self) -> str:
        return f"{self.value} {self.kind} (aim {AIM_AND_LIMIT[self.kind][0]}): {self.where}"


def measure_module(path: str, module: ast.Module, source: str) -> Iterator[Size]:
    """Yield the sizes of one module and of all functions in it; methods and inner functions count separately."""
    yield Size("lines in a module", path, len(source.splitlines()))
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            where = f"{path}:{node.lineno} {node.name}"
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if not path.startswith(MIGRATIONS):
                yield Size("lines in a station's entry" if path in ENTRIES else "lines in a function", where, lines)
            if not path.startswith("tests/"):  # A test's parameters are its fixtures, passed by name.
                yield Size("positional parameters", where, _positional(node))


def _positional(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [parameter.arg for parameter in (*node.args.posonlyargs, *node.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def measure_all() -> list[Size]:
    """Return every size of the project, sorted by its share of the limit, largest first."""
    paths = tree.modules()
    sizes = [size for path in paths for size in measure_module(path, tree.syntax(path), tree.text(path))]
    return sorted(sizes, key=lambda size: size.value / AIM_AND_LIMIT[size.kind][1], reverse=True)


def main() -> int:
    """Print the worst five of each kind, the refused ones, and one summary line. Return 1 if any is refused."""
    sizes = measure_all()
    refused = [size for size in sizes if size.is_refused]
    for kind in AIM_AND_LIMIT:
        for size in [size for size in sizes if size.kind == kind and size.is_above_aim and not size.is_refused][:5]:
            print(f"      above the aim: {size}")
    for size in refused:
        print(f"      refused: {size}")
    largest = ", ".join(
        f"{max((size.value for size in sizes if size.kind == kind), default=0)}/{limit} {kind}"
        for kind, (_, limit) in AIM_AND_LIMIT.items()
    )
    print(f"{len(refused)} refused; largest: {largest}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
