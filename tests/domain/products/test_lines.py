"""The ledger stores a line without loss, and the line finds its order."""

from datetime import date
from decimal import Decimal

from domain.products.lines import ProductLine, by_order
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
