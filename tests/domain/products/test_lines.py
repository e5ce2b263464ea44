"""The ledger stores a line without loss, and the line finds its order."""

from datetime import date
from decimal import Decimal

import pytest

from domain.products.lines import ProductLine, by_order, folded_order
from tests.domain.products.orders_of_a_shop import COMPANY, line


def test_a_line_is_read_back_as_it_was_written():
    whole = line(
        taker=COMPANY, quantity=Decimal("0.1250"), due_on=date(2026, 12, 10), pis_bp=165, is_final_consumer=False
    )
    for each in (whole, line(taker=COMPANY, competence=None)):
        assert ProductLine.from_json(each.to_json()) == each


def test_lines_of_one_order_need_not_be_adjacent():
    lines = [line(row=5), line(row=6, order_key="a 2"), line(row=7), line(row=8, order_key="A  2")]
    assert [[each.row for each in group] for group in by_order(lines).values()] == [[5, 7], [6, 8]]


@pytest.mark.parametrize(
    "text",
    ["1234", " 001234", "Pedido 1234", "PED-1234", "pedido nº 1.234", "N° 1234", "№1234", "#1234", "1234.0", "1234,00",
     "1,234"],
)  # fmt: skip
def test_an_order_has_one_folded_key_in_every_form_of_its_number(text: str):
    assert folded_order(text) == ("1234",)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "10"), ("1", "1.5"), ("1", "1-A"), ("2026-1", "1"), ("2026-10", "2026-1"), ("A-1", "B-1"), ("Pedido", "0"),
     ("#", "-")],
)  # fmt: skip
def test_really_different_orders_have_different_folded_keys(one: str, other: str):
    assert folded_order(one) != folded_order(other)


@pytest.mark.parametrize("text", ["a-07", "A7", "á 007", "0A-7"])
def test_a_folded_key_keeps_the_letters_of_an_order(text: str):
    assert folded_order(text) == ("a", "7")
