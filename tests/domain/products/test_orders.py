"""What the lines of an order say together."""

from datetime import date

import pytest

from domain.parties import TakerData
from domain.products.orders import MOST_LINES, Order, order_of
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, line


def test_an_orders_facts_may_stand_on_any_line():
    bare = {"taker": TakerData(), "kind": None, "payment": None, "competence": None}
    order = order_of([line(**bare), line(row=6, freight="sender"), line(row=7, **bare, observations="Frágil")])
    assert isinstance(order, Order)
    assert (order.kind, order.payment, order.freight, order.observations) == ("nfe", "cash", "sender", "Frágil")
    assert order.taker == PERSON
    assert order.competence == date(2026, 11, 1)
    assert order.where.row == 5


@pytest.mark.parametrize(
    ("field", "value"),
    [("payment", "bank_slip"), ("kind", "nfce"), ("order_discount_cents", 1), ("freight_cents", 5), ("operation", "x")],
)
def test_a_line_that_says_another_thing_is_named_with_the_line_it_contradicts(field, value):
    first = line(order_discount_cents=0, freight_cents=0, operation="VENDA")
    found = order_of([first, line(row=6), line(row=7, **{field: value})])
    (problem,) = found
    assert (problem.code, problem.field, problem.where.row) == ("product.order_conflict", field, 7)
    assert problem.params == {"order": "1001", "other": 5}


def test_two_customers_are_a_contradiction():
    found = order_of([line(taker=TakerData()), line(row=6), line(row=7, taker=COMPANY)])
    assert {(problem.code, problem.where.row, problem.params["other"]) for problem in found} == {
        ("product.order_conflict", 7, 6)
    }
    assert "document" in {problem.field for problem in found}


def test_an_order_has_its_ceiling():
    assert isinstance(order_of([line()] * MOST_LINES), Order)
    assert [problem.code for problem in order_of([line()] * (MOST_LINES + 1))] == ["product.too_many_lines"]


def test_an_order_without_lines_is_a_mistake():
    with pytest.raises(ValueError):
        order_of([])
