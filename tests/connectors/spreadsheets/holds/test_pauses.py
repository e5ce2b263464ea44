"""Pauses of customers, by the columns that name their days."""

from collections.abc import Sequence
from datetime import date

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.pauses import Pause, pauses

NOVEMBER = date(2026, 11, 1)
FIRST, LAST = date(2026, 11, 20), date(2026, 12, 5)


def stopped(headers: tuple[str, ...], *rows: tuple[Cell, ...]) -> list[tuple[int, int]]:
    found = pauses(dict(enumerate(headers)))
    months = [NOVEMBER] * len(rows)
    return [stop for each in found for stop in each.stops(list(zip(*rows, strict=True)), months)]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (FIRST, LAST, [(0, 1)]), (FIRST, None, [(0, 0)]), (None, LAST, [(0, 1)]), (None, None, []),
        (date(2026, 6, 1), date(2026, 10, 31), []), (LAST, None, []), (date(2026, 6, 1), "30/11/2026", [(0, 1)]),
        ("a combinar", None, []),
    ],
)  # fmt: skip
def test_a_pause_with_a_day_in_the_month_stops_the_row(first: Cell, last: Cell, expected: list[tuple[int, int]]):
    assert stopped(("Trancado de", "Trancado até"), (first, last)) == expected


@pytest.mark.parametrize(
    ("header", "cell", "is_stopped"),
    [
        ("Início da suspensão", "10/2026", True), ("Data do trancamento", "12/2026", False),
        ("Congelado até", "31/12/2026", True), ("Pausa de", "01/09/2026 a 31/10/2026", False),
        ("Pausa de", "01/09/2026 a 30/11/2026", True), ("Férias", FIRST, False), ("Suspensões", FIRST, False),
        ("Férias", "16/11 a 15/12", True), ("Pausa", "01/07/2026 a 31/07/2026", False),
        ("Pausa", "out a dez/2026", True),
        ("Trancado de", "01/07", True), ("Trancado até", "31/10", False), ("Isenção de ISS", "Lei 123/2006", False),
    ],
)  # fmt: skip
def test_one_column_may_say_both_days(header: str, cell: Cell, is_stopped: bool):
    assert bool(stopped((header,), (cell,))) is is_stopped


@pytest.mark.parametrize(
    ("back", "is_stopped"), [("12/2026", True), ("11/2026", False), (date(2026, 8, 1), False), (None, True)]
)
def test_a_customer_who_returns_in_the_month_is_billed(back: Cell, is_stopped: bool):
    assert bool(stopped(("Trancado em", "Retorno em"), (date(2026, 3, 1), back))) is is_stopped


def test_two_pauses_beside_each_other_say_nothing():
    assert not stopped(("Trancado de", "Férias em"), (FIRST, FIRST))


def test_a_block_without_the_column_says_nothing():
    (found,) = pauses({5: "Trancado até"})
    assert not list(found.stops([["x"]], [NOVEMBER]))


@pytest.mark.parametrize(
    ("headers", "row", "is_stopped", "is_left"),
    [
        (("Suspenso de", "Suspenso até"), (date(2026, 7, 1), date(2026, 7, 31)), False, False),
        (("Suspenso de", "Suspenso até"), (date(2026, 11, 1), date(2026, 12, 31)), True, False),
        (("Suspenso de", "Suspenso até"), ("01/07", None), True, False),
        (("Suspenso de", "Suspenso até"), ("desde sempre", None), False, True),
        (("Suspenso de", "Suspenso até"), ("01/03/2026, cancelado", "31/05/2026"), False, True),
        (("Suspenso em", "Isento até"), ("01/07/2026", "31/07/2026"), False, True),
        (("Suspensão", "-"), ("01/07/2026 a 31/07/2026", None), False, False),
        (("Suspensão", "-"), ("de 01/11/2026 até 30/11/2026", None), True, False),
        (("Suspensão", "-"), ("01/07/2026", None), False, True),
        (("Suspenso", "-"), ("suspenso 03/2026, cancelado em 05/2026", None), False, True),
        (("Motivo da suspensão", "-"), ("01/07/2026", None), False, True),
    ],
)  # fmt: skip
def test_a_column_that_any_day_stops_may_have_a_pause(headers, row, is_stopped: bool, is_left: bool):
    columns: list[list[Cell]] = [[cell] for cell in row]
    found = pauses({}, dict(enumerate(headers)))
    left: Sequence[Cell] = columns[0]
    for each in found:
        left = each.without_days(0, left, [NOVEMBER])
    stops = [stop for each in found for stop in each.stops(columns, [NOVEMBER])]
    assert (bool(stops), left == columns[0]) == (is_stopped, is_left)


def test_the_columns_of_one_word_are_one_pause():
    headers = {1: "Suspenso de", 2: "Suspenso até", 3: "Isento de", 4: "Isento até"}
    assert pauses({}, headers)[0] == Pause(1, 2)


def test_the_month_of_a_row_decides():
    (found,) = pauses({0: "Suspensão de", 1: "Suspensão até"})
    columns = [["01/10/2026"] * 3, ["31/10/2026"] * 3]
    assert list(found.stops(columns, [NOVEMBER, date(2026, 10, 1), None])) == [(1, 1)]
