"""Adjustments of an order's next invoices."""

from datetime import date

import pytest

from connectors.http.errors import Conflict, NotFound
from connectors.orders.adjustments import NewAdjustment
from connectors.orders.discounts import NewDiscount
from tests.connectors.orders.samples import new_order


def test_lists_without_pages_and_by_the_last_path_part(ask):
    async def talk(client):
        plans = {
            order.number: slug
            for slug in ("essencial", "profissional", "empresarial")
            async for page in client.orders.of_plan(slug)
            for order in page.items
        }
        (adjustment,) = await client.adjustments.of_order(plans[12], 12)
        return adjustment, await client.adjustments.read(plans[12], 12, adjustment.number)

    listed, alone = ask(talk)
    assert alone == listed
    assert (alone.amount, alone.description, alone.valid_until) == (1_250, "Usuário adicional", None)
    assert alone.valid_from.isoformat() == "2026-12-01"


def test_an_unknown_order_is_not_found(ask):
    with pytest.raises(NotFound):
        ask(lambda client: client.adjustments.read("essencial", 999, 1))


def test_a_surcharge_and_a_discount_are_made_and_taken_back(ask):
    async def talk(client):
        order = await client.orders.create("essencial", new_order())
        place = ("essencial", order.number)
        more = await client.adjustments.create(
            *place,
            NewAdjustment(
                amount=250, description="Usuário", valid_from=date(2026, 12, 1), valid_until=date(2026, 12, 31)
            ),
        )
        less = await client.adjustments.create(*place, NewAdjustment(amount=-999, description="Fidelidade"))
        discount = await client.discounts.create(*place, NewDiscount(amount=100, description="Indicação"))
        both = await client.discounts.of_order(*place)
        await client.adjustments.remove(*place, discount.number)
        await client.adjustments.remove(*place, more.number)
        with pytest.raises(NotFound):
            await client.adjustments.remove(*place, more.number)
        return more, less, discount, both, await client.adjustments.of_order(*place)

    more, less, discount, both, left = ask(talk)
    assert (more.amount, more.valid_from.isoformat(), more.valid_until.isoformat()) == (250, "2026-12-01", "2026-12-31")
    assert (less.amount, discount.amount, discount.redeemed_amount) == (-999, -100, 0)
    assert both == [less, discount]
    assert left == [less]


def test_one_that_an_invoice_has_stays(ask, sandbox):
    async def talk(client):
        order = await client.orders.create("essencial", new_order())
        made = await client.adjustments.create("essencial", order.number, NewAdjustment(amount=1, description="x"))
        sandbox.control("act", {"do": "redeem", "number": made.number})
        with pytest.raises(Conflict):
            await client.adjustments.remove("essencial", order.number, made.number)
        return await client.adjustments.read("essencial", order.number, made.number)

    assert len(ask(talk).redemptions) == 1


@pytest.mark.parametrize(
    "wrong", [{"amount": 0}, {"amount": "1.00"}, {"description": ""}, {"valid_until": "2026-01-01"}, {"amount": 10**11}]
)
def test_a_bad_adjustment_is_refused_before_it_is_sent(wrong):
    asked = {"amount": 100, "description": "x", "valid_from": "2026-02-01"}
    with pytest.raises(ValueError, match="validation error"):
        NewAdjustment(**asked | wrong)


def test_there_is_no_order_to_adjust(ask):
    for talk in (
        lambda client: client.adjustments.create("essencial", 999, NewAdjustment(amount=1, description="x")),
        lambda client: client.discounts.create("essencial", 999, NewDiscount(amount=1, description="x")),
    ):
        with pytest.raises(NotFound):
            ask(talk)
    with pytest.raises(ValueError, match="discount"):
        NewDiscount(amount=-1, description="x")
