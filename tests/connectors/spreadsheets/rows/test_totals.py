"""Test what a total row is compared with: the rows above it, those since the last total, or all below it."""

import re
from collections.abc import Mapping, Sequence

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.rows.totals import compared
from domain.problems import Problem
from tests.connectors.spreadsheets.books import read
from tests.corpus.habits import HEAD, USUAL, good

CANCELLED = [*HEAD, "Situação"]


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


def warned(*rows: Sequence[object], head: Sequence[object] = HEAD) -> list[tuple[str, Mapping[str, str | int]]]:
    """Return code and figures of each warning after the last row."""
    reading = read([head, *rows], defaults=USUAL)
    list(reading.rows())
    found = reading.judged([each.to_json() for each in reading.understood.warnings])
    return [(problem.code, problem.params) for problem in map(Problem.from_json, found)]


@pytest.mark.parametrize(
    ("total", "code"),
    [(100.01, "sheet.total_of_billed"), (300.02, "sheet.total_of_all"), (250.0, "sheet.total_fits_neither")],
)
def test_a_total_is_compared_with_billed_rows_too(total: float, code: str) -> None:
    rows: list[list[object]] = [good(1, None), good(2, "Cancelado", cents=20_001), ["TOTAL", None, None, total]]
    ((found, params),) = warned(*rows, head=CANCELLED)
    assert (found, params["computed"], params["billed"], params["left"]) == (code, "R$ 300,02", "R$ 100,01", 1)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("total", [100.01, 300.02, 250.0])
def test_the_words_about_a_total_promise_no_billing(total: float, language: str) -> None:
    """Later stations refuse more rows: what the reading took need not be billed."""
    rows: list[list[object]] = [good(1, None), good(2, "Cancelado", cents=20_001), ["TOTAL", None, None, total]]
    ((code, params),) = warned(*rows, head=CANCELLED)
    words = Catalogue.load(language)
    sentence = words.what(Problem(code, params=params))
    assert {"en": "the reading left out (1)", "pt_BR": "a leitura deixou de fora (1)"}[language] in sentence
    assert not re.search("bill|fatur", sentence)


def test_a_subtotal_is_compared_with_the_rows_since_the_last_total() -> None:
    rows: list[list[object]] = [
        good(1, None), good(2, "Cancelado", cents=20_001), ["Subtotal", None, None, 300.02],
        good(3, None), ["Subtotal", None, None, 100.03],
        good(4, None), good(5, "Cancelado", cents=5_000), ["Subtotal", None, None, 150.04],
        ["TOTAL", None, None, 550.09],
    ]  # fmt: skip
    found = [(code, each["declared"], each["billed"], each["left"]) for code, each in warned(*rows, head=CANCELLED)]
    assert found == [
        ("sheet.total_of_all", "R$ 300,02", "R$ 100,01", 1),
        ("sheet.total_of_all", "R$ 150,04", "R$ 100,04", 1),
        ("sheet.total_of_all", "R$ 550,09", "R$ 300,08", 2),
    ]


def test_a_total_of_billed_rows_alone_needs_no_comparison() -> None:
    assert warned(good(1, None), good(2, None), ["TOTAL", None, None, 200.03], head=CANCELLED) == []
    assert [code for code, _ in warned(good(1), ["TOTAL", None, None, 200.03])] == ["sheet.total_differs"]


def test_a_customers_total_is_compared_with_its_own_rows() -> None:
    mixed: list[list[object]] = [good(1), good(2), good(1, cents=500), [None, "Tomador 1 Ltda Total", None, 105.01]]
    assert warned(*mixed) == []
    ((code, params),) = warned(*mixed[:3], [None, "Total Tomador 1 Ltda", None, 99.0])
    assert code == "sheet.total_of_customer_differs"
    assert params == {"customer": "Tomador 1 Ltda", "declared": "R$ 99,00", "computed": "R$ 105,01"}
