"""Compare the client with the transcribed field tables: what it reads and what it asks.

The models and `fields.toml` were written separately from the same document. A name in only one of them is a mistake in
one of them, or an assumption that the tables mark as observed.
"""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs

import pytest

import connectors.orders
from connectors.orders.adjustments import Adjustment, NewAdjustment
from connectors.orders.discounts import NewDiscount
from connectors.orders.invoices import Invoice, PlanData, RedeemedAdjustment, UserData
from connectors.orders.orders import Client, NewOrder, Order
from tests.connectors.orders.samples import company, new_order

TABLES = tomllib.loads(Path(connectors.orders.__file__).with_name("fields.toml").read_text(encoding="utf-8"))
MODELS = {
    Order: "order",
    Invoice: "invoice",
    UserData: "invoice_user",
    PlanData: "invoice_plan",
    RedeemedAdjustment: "redeemed_adjustment",
    Adjustment: "adjustment",
}
REQUESTS = {NewOrder: "order", Client: "order_change", NewAdjustment: "adjustment", NewDiscount: "discount"}
JSON_OF = {
    "string": "x",
    "integer": 7,
    "number": "7.10",
    "boolean": True,
    "date": "2026-11-20",
    "date-time": "2026-11-20 10:00:00",
    "array": [],
}


def example(resource, **more):
    """Return an answer that the tables allow, every plain field filled by its type."""
    answer = TABLES[resource]["answer"]
    return {name: JSON_OF[entry["type"]] for name, entry in answer.items() if entry["type"] in JSON_OF} | more


NESTED = {"invoice": {"user_data": example("invoice_user"), "plan_data": example("invoice_plan")}}


@pytest.mark.parametrize("model", MODELS)
def test_every_field_of_a_model_is_documented_and_read(model):
    table = TABLES[MODELS[model]]["answer"]
    assert set(model.model_fields) <= set(table)
    read = model.model_validate(example(MODELS[model], **NESTED.get(MODELS[model], {})))
    for name in model.model_fields:
        kind = table[name]["type"]
        assert kind != "number" or getattr(read, name) == 710
        assert kind != "date-time" or getattr(read, name) == datetime(2026, 11, 20, 13, tzinfo=UTC)


@pytest.mark.parametrize("model", MODELS)
def test_nullable_fields_are_read_as_none(model):
    table = TABLES[MODELS[model]]["answer"]
    nulls = {name: None for name, entry in table.items() if entry.get("nullable")}
    read = model.model_validate(example(MODELS[model], **NESTED.get(MODELS[model], {})) | nulls)
    assert all(getattr(read, name) is None for name in nulls if name in model.model_fields)


@pytest.mark.parametrize("model", REQUESTS)
def test_a_request_has_the_documents_and_required_fields(model):
    table = TABLES[REQUESTS[model]]["fields"]
    assert set(model.model_fields) == set(table)
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    assert required == {name for name, entry in table.items() if entry.get("required")}


def test_every_call_is_a_documented_operation_with_its_filters(ask, sandbox):
    async def everything(client):
        orders = [order async for page in client.orders.of_plan("essencial", limit=10) for order in page.items]
        number = orders[0].number
        await client.orders.read("essencial", number)
        await client.orders.of_account(orders[0].global_account)
        since = datetime(2026, 9, 1, tzinfo=UTC)
        paid = [row async for page in client.invoices.paid("essencial", since=since, limit=10) for row in page.items]
        await client.invoices.of_order("essencial", paid[0].order_number)
        await client.invoices.read("essencial", paid[0].order_number, paid[0].number)
        for order in orders:
            await client.discounts.of_order("essencial", order.number)
            for adjustment in await client.adjustments.of_order("essencial", order.number):
                await client.adjustments.read("essencial", order.number, adjustment.number)
        made = await client.orders.create("essencial", new_order())
        await client.orders.change("essencial", made.number, company())
        await client.discounts.create("essencial", made.number, NewDiscount(amount=1, description="x"))
        added = await client.adjustments.create("essencial", made.number, NewAdjustment(amount=1, description="x"))
        await client.adjustments.remove("essencial", made.number, added.number)
        await client.orders.cancel("essencial", made.number)

    ask(everything)
    requests = sandbox.record(requests=True)["requests"]
    assert {request["operation"] for request in requests} == set(TABLES["operations"])
    for request in requests:
        operation = TABLES["operations"][request["operation"]]
        assert set(parse_qs(request["query"] or "")) <= set(operation.get("filters", ())), request
        assert (request["method"], request["status"]) == (operation["method"], operation["success"])
