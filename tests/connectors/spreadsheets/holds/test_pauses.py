"""Pauses of customers, by the columns that name their days."""

from datetime import date

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds.pauses import pauses

NOVEMBER = date(2026, 11, 1)
FIRST, LAST = date(2026, 11, 20), date(2026, 12, 5)


def stopped(headers: tuple[str, ...], *rows: tuple[Cell, ...]) -> list[tuple[int, int]]:
    found = pauses(dict(enumerate(headers)))
    return [stop for each in found for stop in each.stops(list(zip(*rows, strict=True)), NOVEMBER)]


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
    assert pauses({0: "Trancado de", 1: "Férias em"}) == ()


def test_a_block_without_the_column_says_nothing():
    (found,) = pauses({5: "Trancado até"})
    assert not list(found.stops([["x"]], NOVEMBER))
