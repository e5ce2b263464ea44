"""Test that a cell below a tax's bare name becomes a rate only where it can be no amount."""

from typing import Any

import pytest

from connectors.spreadsheets.formats.sheets import Cell, Percent
from connectors.spreadsheets.headers import stated_taxes
from connectors.spreadsheets.headers.stated_taxes import StatedTax, parse_stated_tax, settle, without_rate
from domain.problems import Problem


@pytest.mark.parametrize(
    ("field", "cell", "cents", "settled"),
    [
        ("ir_stated", 15.0, 100_000, {"ir_cents": 1_500}),
        ("ir_stated", 1.5, 100_000, {"ir_bp": 150}),
        ("ir_stated", 1.5, 10_000, {"ir_cents": 150}),
        ("ir_stated", 1.2, 8_000, {"ir_cents": 120}),
        ("ir_stated", 7.0, 100_000, {"ir_cents": 700}),
        ("iss_stated", 2.0, 100_000, {"iss_bp": 200}),
        ("iss_stated", Percent(0.05), 100_000, {"iss_bp": 500}),
        ("iss_stated", "2,9%", 100_000, {"iss_bp": 290}),
        ("iss_stated", 0.0, 100_000, {}),
        ("pis_stated", 0.0, 100_000, {"pis_cents": 0}),
        ("inss_stated", "-", 100_000, {}),
        ("inss_stated", "Não", 100_000, {}),
        ("pis_stated", 0.65, None, {"pis_bp": 65}),
    ],
)
def test_a_figure_is_a_rate_only_if_it_is_no_usual_amount(
    field: str, cell: Cell, cents: int | None, settled: dict[str, int]
) -> None:
    values: dict[str, Any] = {field: tax} if (tax := parse_stated_tax(cell, None)) else {}
    before = {} if cents is None else {"service_cents": cents}
    values |= before
    settle(values, stated_taxes.FIELDS)
    assert values == before | settled


def test_a_column_of_the_rate_or_of_the_amount_itself_prevails() -> None:
    values: dict[str, Any] = {"service_cents": 100_000, "iss_stated": StatedTax(500, False), "iss_bp": 200}
    settle(values, ["iss_stated"])
    assert values == {"service_cents": 100_000, "iss_bp": 200}


def test_a_text_that_is_no_figure_is_asked_about() -> None:
    found = parse_stated_tax("Isento", None)
    assert isinstance(found, Problem)
    assert found.code == "amount.unreadable"


@pytest.mark.parametrize(
    ("header", "bare"),
    [("inss retido 11 percentual", "inss retido"), ("csrf 4 65 percentual", "csrf"), ("iss percentual", None)],
)
def test_the_rate_of_a_header_is_left_out(header: str, bare: str | None) -> None:
    assert without_rate(header) == bare
