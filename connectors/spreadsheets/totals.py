"""Total rows compared with the rows that they may sum up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from connectors.spreadsheets import cells
from connectors.spreadsheets.formats.sheets import Cell


@dataclass(frozen=True, slots=True)
class Total:
    """A total row: its own figure (None when unreadable) and the sum of the rows above it."""

    row: int
    declared_cents: int | None
    computed_cents: int
    agrees: bool


def compared(
    total_cells: Sequence[tuple[int, Cell, int]], cents: Sequence[int], cents_of: Callable[[Cell], int | None]
) -> Iterator[Total]:
    """Yield totals compared with all rows above them, and with those since the last total.

    `total_cells` are row number, cell and the number of rows above. A total above all rows sums up those below it.
    """
    since = 0
    for row, cell, upto in total_cells:
        declared = cents_of(cell)
        of_all, of_section = sum(cents[:upto] if upto else cents), sum(cents[since:upto])
        agrees = cells.is_blank(cell) or declared in (of_all, of_section)
        yield Total(row, declared, of_all, agrees)
        since = upto
