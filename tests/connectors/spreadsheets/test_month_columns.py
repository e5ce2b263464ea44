"""Sheets with a column of amounts for each month."""

from datetime import date

import pytest

from connectors.spreadsheets.headers.layouts import find_header, similar_columns
from connectors.spreadsheets.month_columns import with_month_column
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import Where
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.books import SERVICES


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("Outubro", "Novembro"), 3), (("nov/26", "dez/26", "jan/27"), 2), (("Valor 10/2026", "Valor 11/2026"), 3),
        (("Horas Outubro", "Horas Novembro"), None), (("Novembro",), None), (("Total nov/26",), 2),
        (("Novembro", "Valor Novembro"), None),
        (("Out", "Nov", "Valor"), None), (("nov/25", "dez/25"), None),
    ],
)  # fmt: skip
def test_the_requested_month_has_the_amounts(headers: tuple[str, ...], expected: int | None):
    book = open_workbook(books.written(("P", [["CNPJ", "Cliente", *headers]])))
    found = with_month_column(book, SERVICES, date(2026, 11, 1))
    if expected is None:
        assert found is SERVICES
    else:
        assert find_header(book, found).columns["service_cents"] == expected
        assert [each.code for each in found.remarks] == ["column.of_month"]


def test_a_taught_header_is_no_hint_for_another_one():
    book = open_workbook(books.written(("P", [["CNPJ", "Cliente", "Valor Out/26", "Valor Nov/26"]])))
    found = with_month_column(book, SERVICES, date(2026, 11, 1))
    header = find_header(book, found)
    assert header.unused == {2: "Valor Out/26"}
    hints = similar_columns(header.unused, found, Where())
    assert "Valor Nov/26" not in [each.params["alias"] for each in hints]
