"""The client never accepts an answer about another order, invoice or adjustment than the one asked for."""

import pytest

from connectors.http.errors import Doubtful, Unreadable
from connectors.orders.adjustments import NewAdjustment, read_adjustments
from connectors.orders.discounts import NewDiscount
from tests.connectors.orders.samples import ACCOUNT, IDENTITY, company, new_order

PLAN = "essencial"
OTHER_ORDER = {"order_url": "http://127.0.0.1/api/orders/essencial/987654/"}
SURCHARGE = NewAdjustment(amount=100, description="x")
DISCOUNT = NewDiscount(amount=100, description="x")


async def first_order(client):
    pages = [page async for page in client.orders.of_plan(PLAN)]
    return pages[0].items[0]


@pytest.mark.parametrize("fields", [{"number": 987_654}, {"plan_slug": "empresarial"}])
def test_another_order_is_no_answer(ask, sandbox, fields):
    async def talk(client):
        order = await first_order(client)
        sandbox.faults(
            {"operation": "orders.read", "kind": "altered", "fields": fields, "count": 9},
            {"operation": "orders.change", "kind": "altered", "fields": fields},
        )
        with pytest.raises(Unreadable):
            await client.orders.read(PLAN, order.number)
        with pytest.raises(Doubtful):
            await client.orders.change(PLAN, order.number, company())

    ask(talk)


@pytest.mark.parametrize("fields", [{"number": 987_654}, {"plan_data": {"slug": "empresarial"}}, OTHER_ORDER])
def test_another_invoice_is_no_answer(ask, sandbox, fields):
    async def talk(client):
        order = await first_order(client)
        invoice = (await client.invoices.of_order(PLAN, order.number))[0]
        sandbox.faults({"operation": "invoices.read", "kind": "altered", "fields": fields, "count": 9})
        with pytest.raises(Unreadable):
            await client.invoices.read(PLAN, order.number, invoice.number)

    ask(talk)


@pytest.mark.parametrize("fields", [{"url": "http://127.0.0.1/987654/"}, OTHER_ORDER])
def test_another_adjustment_is_no_answer(ask, sandbox, fields):
    async def talk(client):
        order = await first_order(client)
        made = await client.adjustments.create(PLAN, order.number, SURCHARGE)
        sandbox.faults({"operation": "adjustments.read", "kind": "altered", "fields": fields, "count": 9})
        with pytest.raises(Unreadable):
            await client.adjustments.read(PLAN, order.number, made.number)

    ask(talk)


@pytest.mark.parametrize("url", ["", "http://127.0.0.1/api/"])
def test_an_adjustment_that_nobody_could_name_is_no_answer(url):
    with pytest.raises(ValueError):
        read_adjustments([{"url": url, **OTHER_ORDER, "amount": "1.00", "description": "x"}], 987_654)


def test_an_order_of_another_account_is_no_answer(ask, sandbox):
    async def talk(client):
        await client.orders.create(PLAN, new_order())
        sandbox.faults(
            {"operation": "orders.of_account", "kind": "altered", "fields": {"global_account": IDENTITY}, "count": 9}
        )
        with pytest.raises(Unreadable):
            await client.orders.of_account(ACCOUNT)

    ask(talk)


@pytest.mark.parametrize(
    ("operation", "fields", "call"),
    [
        ("orders.create", {"plan_slug": "empresarial"}, lambda client, _: client.orders.create(PLAN, new_order())),
        ("orders.create", {"global_account": IDENTITY}, lambda client, _: client.orders.create(PLAN, new_order())),
        ("adjustments.create", OTHER_ORDER, lambda client, n: client.adjustments.create(PLAN, n, SURCHARGE)),
        ("adjustments.create", {"amount": "-1.00"}, lambda client, n: client.adjustments.create(PLAN, n, SURCHARGE)),
        ("discounts.create", OTHER_ORDER, lambda client, n: client.discounts.create(PLAN, n, DISCOUNT)),
        ("discounts.create", {"amount": "-1.01"}, lambda client, n: client.discounts.create(PLAN, n, DISCOUNT)),
    ],
)
def test_a_creation_that_made_something_else_is_in_doubt(ask, sandbox, operation, fields, call):
    async def talk(client):
        order = await first_order(client)
        sandbox.faults({"operation": operation, "kind": "altered", "fields": fields})
        with pytest.raises(Doubtful):
            await call(client, order.number)

    ask(talk)
