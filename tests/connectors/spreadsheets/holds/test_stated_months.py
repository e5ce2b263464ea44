"""The months that a cell of dates states."""

from datetime import date, datetime

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.stated_months import stated_months

_NOVEMBER = date(2026, 11, 1)


def shown(cell: Cell, *, is_next: bool = False) -> str:
    found = stated_months(cell, _NOVEMBER, has_serials=True, is_next=is_next)
    return " ".join(f"{month:%m/%y}" for month in found)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (date(2026, 12, 9), "12/26"), (datetime(2026, 12, 9), "12/26"), (46_338.0, "11/26"),  # noqa: DTZ001
        ("09/12/2026 08:00", "12/26"), ("09.12.26", "12/26"), ("2026-12-09T10:30", "12/26"), ("09-dez-2026", "12/26"),
        ("20 de dezembro de 2026", "12/26"), ("Dec 09, 2026", "12/26"), ("December 9th 2026", "12/26"),
        ("01/2027", "01/27"),
        ("1/27", "01/27"), ("JAN-27", "01/27"),
        ("12/31/2026", "12/26"), (202_701.0, "01/27"), ("202701", "01/27"), ("2027-01", "01/27"),
        ("05 e 06/11/2026", "11/26 11/26"), ("03, 10, 17 e 24/11", "11/26 11/26"), ("1º/12", "12/26"),
        ("01/07/2026 a 31/08/2026", "07/26 08/26"), ("out e nov/2026", "10/26 11/26"),
        ("15/12 a 10/01/2027", "12/26 01/27"), ("Lei 123/2006", ""),
        ("a combinar", ""), ("dia 10", ""), ("30 dias", ""), (10.0, ""), (True, ""), ("1.234,56", ""), ("semanal", ""),
    ],
)  # fmt: skip
def test_each_day_and_month_of_a_cell_is_found(cell: Cell, expected: str):
    assert shown(cell) == expected


@pytest.mark.parametrize(
    ("cell", "nearest", "following"),
    [
        ("09/12", "12/26", "12/26"), ("agosto", "08/26", "08/27"), ("mar", "03/27", "03/27"), ("nov", "11/26", "11/26"),
        ("10/2026", "10/26", "10/26"), ("Dec 09", "12/26", "12/26"),
        ("1º trim/2027", "", "01/27"), (2027.0, "", "01/27"),
    ],
)  # fmt: skip
def test_a_month_without_a_year_is_the_nearest_or_the_next(cell: Cell, nearest: str, following: str):
    assert (shown(cell), shown(cell, is_next=True)) == (nearest, following)
