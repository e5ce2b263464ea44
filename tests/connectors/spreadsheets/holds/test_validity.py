"""Months outside of the start or the end that a row states."""

from datetime import date

import pytest

from connectors.spreadsheets.formats.sheets import Cell, Row
from connectors.spreadsheets.holds.validity import instalments_beyond, other_months, outside

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


@pytest.mark.parametrize(
    ("cell", "is_outside"),
    [
        ("01/01/2025 a 31/12/2025", True), ("01/01/2026 a 31/12/2026", False), ("12/2026 até 11/2027", True),
        ("de 01/2026 - 12/2026", False), ("12 a 24 meses", False),
    ],
)  # fmt: skip
def test_a_range_has_both_ends(cell: str, is_outside: bool):
    found = list(outside([("until", 1)], {1: "Vigência"}, Row(2, ("x", cell)), NOVEMBER, has_serials=True))
    assert bool(found) is is_outside


def test_an_instalment_of_another_month_is_found():
    column = ("Parc. 10/12 - Nov", "11/12 Dez", None, 11.0, "12/12", "novembro e dezembro")
    assert list(other_months(column, NOVEMBER)) == [(1, "11/12 Dez")]


def test_a_short_row_says_nothing():
    assert not list(outside([("until", 5)], {}, Row(2, ("x",)), NOVEMBER, has_serials=False))


@pytest.mark.parametrize(
    ("header", "cell", "is_outside"),
    [
        ("Carência até", date(2026, 11, 30), True), ("Fim da carência", "15/11/2026", True),
        ("Isento até", "11/2026", True), ("Carência até", date(2026, 11, 1), False),
        ("Carência até", "01/11/2026", False),
        ("Faturar a partir de", date(2026, 11, 30), False), ("Carência até", date(2026, 10, 31), False),
    ],
)  # fmt: skip
def test_a_free_month_is_free_to_its_last_day(header: str, cell: Cell, is_outside: bool):
    found = list(outside([("since", 1)], {1: header}, Row(2, ("x", cell)), NOVEMBER, has_serials=True))
    assert bool(found) is is_outside


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (("3/10", "6/5", None, 6.0), [(1, "6/5")]), (("3 de 10", "11 de 10"), [(1, "11 de 10")]),
        (("20/11", "15/10"), []),
        (("11/2026", "3/10"), []), (("10/10", "1/0"), []),
    ],
)  # fmt: skip
def test_an_instalment_after_the_last_is_found_unless_the_column_has_days(column, expected):
    assert list(instalments_beyond(column)) == expected


@pytest.mark.parametrize(
    ("field", "header", "cell", "is_outside"),
    [
        ("performed", "Data da execução", "05/10 a 20/10/2026", False),
        ("performed", "Data da execução", "25/11 a 05/12/2026", True),
        ("next_billing", "Próxima nota", "nov/26, fev/27", False), ("next_billing", "Próxima nota", "2027", True),
        ("since", "Faturar em", "01/2026 a 06/2026", True), ("since", "Cobrar a partir de", "março", True),
        ("since", "Início", "março", False),
    ],
)  # fmt: skip
def test_a_later_service_or_billing_excludes_the_row(field: str, header: str, cell: str, is_outside: bool):
    found = list(outside([(field, 1)], {1: header}, Row(2, ("x", cell)), NOVEMBER, has_serials=True))
    assert bool(found) is is_outside
