"""Months outside of the start or the end that a row states."""

from datetime import date

import pytest

from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.validity import outside

NOVEMBER = date(2026, 11, 1)


@pytest.mark.parametrize(
    ("field", "cell", "is_outside"),
    [
        ("until", date(2026, 10, 31), True), ("until", "31/10/2026", True), ("until", date(2026, 11, 1), False),
        ("until", "indeterminado", False), ("until", None, False), ("until", " ", False), ("until", 46_327.0, False),
        ("since", "12/2026", True), ("since", date(2026, 11, 30), False), ("since", "01/2020", False),
    ],
)  # fmt: skip
def test_whole_months_are_compared(field: str, cell: Cell, is_outside: bool):
    found = list(outside([(field, 1)], {1: "Fim"}, Row(2, ("x", cell)), NOVEMBER, has_serials=True))
    seen = [(each.code, each.params["header"], each.params["competence"], index) for each, index in found]
    assert seen == ([("held.validity", "Fim", "11/2026", 1)] if is_outside else [])


def test_a_short_row_says_nothing():
    assert not list(outside([("until", 5)], {}, Row(2, ("x",)), NOVEMBER, has_serials=False))
