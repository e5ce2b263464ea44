"""The common data of an order's lines."""

from datetime import date

import pytest

from domain.parties import TakerData
from domain.products.orders import MOST_LINES, order_of
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, contradictions, line, order


def test_an_orders_facts_may_be_on_any_line():
    bare = {"taker": TakerData(), "kind": None, "payment": None, "competence": None}
    whole = order(line(**bare), line(row=6, freight="sender"), line(row=7, **bare, observations="Frágil"))
    assert (whole.kind, whole.payment, whole.freight, whole.observations) == ("nfe", "cash", "sender", "Frágil")
    assert whole.taker == PERSON
    assert whole.competence == date(2026, 11, 1)
    assert whole.where.row == 5


@pytest.mark.parametrize(
    ("field", "value"),
    [("payment", "bank_slip"), ("kind", "nfce"), ("order_discount_cents", 1), ("freight_cents", 5), ("operation", "x")],
)
def test_a_conflict_names_both_lines(field, value):
    first = line(order_discount_cents=0, freight_cents=0, operation="VENDA")
    (problem,) = contradictions(first, line(row=6), line(row=7, **{field: value}))
    assert (problem.code, problem.field, problem.where.row) == ("product.order_conflict", field, 7)
    assert problem.params == {"order": "1001", "other": 5}


def test_two_customers_are_a_contradiction():
    found = contradictions(line(taker=TakerData()), line(row=6), line(row=7, taker=COMPANY))
    assert {(problem.code, problem.where.row, problem.params["other"]) for problem in found} == {
        ("product.order_conflict", 7, 6)
    }
    assert "document" in {problem.field for problem in found}


def test_an_order_has_its_ceiling():
    assert len(order(*[line()] * MOST_LINES).lines) == MOST_LINES
    assert [problem.code for problem in contradictions(*[line()] * (MOST_LINES + 1))] == ["product.too_many_lines"]


def test_an_order_without_lines_is_a_mistake():
    with pytest.raises(ValueError):
        order_of([])
