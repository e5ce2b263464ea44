"""The client never accepts an answer about another order, invoice or adjustment than the one asked for."""

import pytest

from connectors.http.errors import Doubtful, Unreadable
from connectors.orders.adjustments import NewAdjustment
from tests.connectors.orders.samples import company

PLAN = "essencial"


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


@pytest.mark.parametrize("fields", [{"number": 987_654}, {"plan_data": {"slug": "empresarial"}}])
def test_another_invoice_is_no_answer(ask, sandbox, fields):
    async def talk(client):
        order = await first_order(client)
        invoice = (await client.invoices.of_order(PLAN, order.number))[0]
        sandbox.faults({"operation": "invoices.read", "kind": "altered", "fields": fields, "count": 9})
        with pytest.raises(Unreadable):
            await client.invoices.read(PLAN, order.number, invoice.number)

    ask(talk)


def test_another_adjustment_is_no_answer(ask, sandbox):
    async def talk(client):
        order = await first_order(client)
        made = await client.adjustments.create(PLAN, order.number, NewAdjustment(amount=100, description="x"))
        sandbox.faults(
            {
                "operation": "adjustments.read",
                "kind": "altered",
                "fields": {"url": "http://127.0.0.1/987654/"},
                "count": 9,
            }
        )
        with pytest.raises(Unreadable):
            await client.adjustments.read(PLAN, order.number, made.number)

    ask(talk)
