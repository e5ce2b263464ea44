"""Test what a total row is compared with: the rows above it, those since the last total, or all below it."""

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.totals import compared


def cents_of(cell: Cell) -> int | None:
    return cell if isinstance(cell, int) else None


@pytest.mark.parametrize(
    ("totals", "agree"),
    [
        ([(9, 600, 3)], [True]), ([(9, 500, 3)], [False]), ([(3, 300, 2), (9, 300, 3), (10, 600, 3)], [True] * 3),
        ([(2, 600, 0)], [True]), ([(2, 100, 0)], [False]), ([(2, 600, 0), (9, 600, 3)], [True, True]),
        ([(9, None, 3)], [True]), ([(9, "?", 3)], [False]),
    ],
)  # fmt: skip
def test_a_total_sums_up_rows_above_it_or_all_below_it(totals: list[tuple[int, Cell, int]], agree: list[bool]) -> None:
    assert [total.agrees for total in compared(totals, [100, 200, 300], cents_of)] == agree
