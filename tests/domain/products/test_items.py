"""Items: figures to the cent, shares of discount and freight, and the supported operations."""

import dataclasses
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.parties import TakerData
from domain.products.canonical import Item
from domain.products.items import amounts_of, item_problems, items_of
from domain.products.wording import Wording
from tests.domain.products.orders_of_a_shop import COMPANY, PERSON, SHOP, line, order

AWAY = dataclasses.replace(PERSON, state="SP")
ST = {"icms": "500", "cest": "1003300", "st_rate_bp": 1_800, "substitute_icms_cents": 120}


def codes(*lines):
    return {(problem.code, problem.field, problem.where.row) for problem in item_problems(order(*lines), SHOP)}


@given(
    st.lists(
        st.tuples(
            st.decimals("0.0001", "999", places=4), st.decimals("0.01", "9999", places=2), st.integers(0, 10_000)
        ),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_discount_and_freight_are_spread_to_the_cent(rows, data):
    lines = [
        line(row=5 + index, quantity=quantity, unit_price=price) for index, (quantity, price, _) in enumerate(rows)
    ]
    gross = [each.gross_cents for each in amounts_of(order(*lines))]
    if not all(gross):
        return
    own = [cents * part // 10_000 for cents, (_, _, part) in zip(gross, rows, strict=True)]
    lines = [dataclasses.replace(each, discount_cents=cents) for each, cents in zip(lines, own, strict=True)]
    discount = data.draw(st.integers(0, sum(gross) - sum(own)))
    freight = data.draw(st.integers(0, 10**6))
    whole = dataclasses.replace(order(*lines), order_discount_cents=discount, freight_cents=freight)
    items = amounts_of(whole)
    assert sum(item.discount_cents for item in items) == discount + sum(own)
    assert sum(item.freight_cents for item in items) == freight
    assert sum(item.total_cents for item in items) == sum(gross) - sum(own) - discount + freight
    assert all(item.discount_cents <= item.gross_cents and item.total_cents >= 0 for item in items)


def test_a_tax_is_taken_of_what_is_paid_for_the_line():
    lines = [
        line(pis="01", pis_bp=1_000, discount_cents=500, order_discount_cents=400, freight_cents=200, freight="sender")
    ]
    (item,) = items_of(order(*lines), Wording())
    assert item.taxes.pis.base_cents == 2_500 - 500 - 400 + 200
    assert item.taxes.pis.cents == 180


@pytest.mark.parametrize(
    ("taker", "changes", "allowed"),
    [
        (PERSON, {}, "inside: 5101, 5102"),
        (AWAY, {}, "interstate: 6107, 6108"),
        (AWAY, {"kind": "nfce"}, "inside: 5101, 5102"),
        (TakerData(), {"kind": "nfce"}, "inside: 5101, 5102"),
        (COMPANY, {}, "interstate: 6101, 6102"),
        (PERSON, ST, "inside: 5405"),
        (COMPANY, ST, "interstate: 6404"),
        (AWAY, ST, "interstate: –"),
    ],
)
def test_a_cfop_fits_tax_destination_and_customer(taker, changes, allowed):
    (problem,) = item_problems(order(line(taker=taker, cfop="5949", **changes)), SHOP)
    destination, _, wanted = allowed.partition(": ")
    assert (problem.code, problem.field) == (f"product.cfop_{destination}", "cfop")
    assert problem.params == {"text": "5949", "csosn": changes.get("icms", "102"), "supported": wanted}
    for cfop in wanted.split(", "):
        assert codes(line(taker=taker, cfop=cfop, **changes)) == set() or wanted == "–"


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"quantity": Decimal(0)}, "product.figure", "quantity"),
        ({"quantity": Decimal(-1)}, "product.figure", "quantity"),
        ({"quantity": Decimal("NaN")}, "product.figure", "quantity"),
        ({"unit_price": Decimal("Infinity")}, "product.figure", "unit_price"),
        ({"unit_price": Decimal("0.001")}, "product.figure", "unit_price"),
        ({"quantity": Decimal("1.00001")}, "product.places", "quantity"),
        ({"unit_price": Decimal("1.00000000001")}, "product.places", "unit_price"),
        ({"discount_cents": -1}, "product.negative", "discount_cents"),
        ({"discount_cents": 2_501}, "product.discount_too_large", "discount_cents"),
        ({"ncm": "6912"}, "product.ncm", "ncm"),
        ({"pis": "01"}, "product.rate_missing", "pis_bp"),
        ({"cest": "123"}, "product.cest", "cest"),
        ({**ST, "cfop": "5405", "cest": None}, "product.cest", "cest"),
    ],
)
def test_a_wrong_cell_is_named_by_its_row(changes, code, field):
    assert codes(line(), line(row=6, **changes)) == {(code, field, 6)}


def test_an_item_holds_all_of_its_line():
    whole = line(
        description="Caneca de cerâmica", discount_cents=100, freight_cents=350, freight="sender", cest="1003300"
    )
    (item,) = items_of(order(whole), Wording())
    assert item == Item(
        code="CAN-01",
        description="Caneca de ceramica",
        ncm="69120000",
        cfop="5102",
        cest="1003300",
        unit="UN",
        quantity=Decimal(2),
        unit_price=Decimal("12.50"),
        gross_cents=2_500,
        discount_cents=100,
        freight_cents=350,
        taxes=item.taxes,
    )


def test_an_empty_cest_is_absent():
    (item,) = items_of(order(line(cest="")), Wording())
    assert item.cest is None
