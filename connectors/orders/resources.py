"""Describe each kind of record at the order service (document 002, Order service)."""

from collections.abc import Sequence
from typing import Any, Final

from connectors.http.resource_fields import field_names, number_of, values_of, write_of
from connectors.orders.adjustments import Adjustment, NewAdjustment
from connectors.orders.client import OrdersClient
from connectors.orders.discounts import NewDiscount
from connectors.orders.orders import Client, NewOrder, Order
from domain import money
from domain.resources import Draft, Path, Record, Resource, Values

SYSTEM: Final = "orders"
_CENTS: Final = frozenset({"amount", "amount_with_adjustments", "redeemed_amount", "discount_amount"})
_ASKED_CENTS: Final = frozenset({"amount", "discount_amount"})
_ADDRESS: Final = frozenset(field_names(Client)) - {"client_email", "client_name", "document_number"}


def resources(client: OrdersClient) -> list[Resource]:
    """Return all resources of the service, for an open client."""
    return [_orders(client), _invoices(client), _adjustments(client), _discounts(client)]


def _orders(client: OrdersClient) -> Resource:
    calls = client.orders

    async def find(place: Path, filters: Values) -> Sequence[Record]:
        if account := filters.get("global_account"):
            found = await calls.of_account(account)
        else:
            found = [each async for page in calls.of_plan(place[0] if place else "") for each in page.items]
        return [_order(each) for each in found if not place or each.plan_slug == place[0]]

    async def read(path: Path) -> Record:
        return _order(await calls.read(path[0], number_of(path[1], "order")))

    async def create(place: Path, asked: Draft) -> Record:
        return _order(await calls.create(place[0], asked.body))

    async def change(path: Path, asked: Draft) -> Record:
        return _order(await calls.change(path[0], number_of(path[1], "order"), asked.body))

    async def cancel(path: Path, _asked: Draft) -> None:
        await calls.cancel(path[0], number_of(path[1], "order"))

    return Resource(
        kind="order",
        system=SYSTEM,
        parts=("plan", "order"),
        columns=("client_name", "amount", "is_active", "is_paid", "active_until"),
        filters=("global_account",),
        key=(("global_account",),),
        unseen=_ADDRESS | {"identity"},
        all=find,
        read=read,
        # an order that was never paid is inactive as well, and can be cancelled
        is_gone=lambda record: record.values.get("is_active") == "false" and "activated_at" in record.values,
        writes={
            "create": write_of(NewOrder, create, cents=_ASKED_CENTS),
            "change": write_of(Client, change, is_repeatable=True),
            "remove": write_of(None, cancel, is_repeatable=True),
        },
    )


def _order(found: Order) -> Record:
    path = (found.plan_slug, str(found.number))
    return Record(path, found.client_name or "", values_of(found.model_dump(), cents=_CENTS))


def _invoices(client: OrdersClient) -> Resource:
    async def find(place: Path, _filters: Values) -> Sequence[Record]:
        found = await client.invoices.of_order(place[0], number_of(place[1], "order"))
        return [_invoice(place, each) for each in found]

    async def read(path: Path) -> Record:
        numbers = number_of(path[1], "order"), number_of(path[2], "invoice")
        return _invoice(path[:2], await client.invoices.read(path[0], *numbers))

    return Resource(
        kind="order-invoice",
        system=SYSTEM,
        parts=("plan", "order", "invoice"),
        columns=("amount", "amount_with_adjustments", "charge_date", "paid_at"),
        all=find,
        read=read,
    )


def _invoice(place: Path, found: Any) -> Record:
    return Record((*place[:2], str(found.number)), "", values_of(found.model_dump(), cents=_CENTS))


def _adjustments(client: OrdersClient) -> Resource:
    calls = client.adjustments

    async def find(place: Path, _filters: Values) -> Sequence[Record]:
        return [_adjustment(place, each) for each in await calls.of_order(place[0], number_of(place[1], "order"))]

    async def read(path: Path) -> Record:
        numbers = number_of(path[1], "order"), number_of(path[2], "adjustment")
        return _adjustment(path[:2], await calls.read(path[0], *numbers))

    async def create(place: Path, asked: Draft) -> Record:
        return _adjustment(place, await calls.create(place[0], number_of(place[1], "order"), asked.body))

    async def remove(path: Path, _asked: Draft) -> None:
        await calls.remove(path[0], number_of(path[1], "order"), number_of(path[2], "adjustment"))

    return Resource(
        kind="adjustment",
        system=SYSTEM,
        parts=("plan", "order", "adjustment"),
        columns=("amount", "description", "valid_from", "valid_until", "redeemed_amount"),
        key=(("amount", "description"),),
        all=find,
        read=read,
        writes={
            "create": write_of(NewAdjustment, create, cents=_ASKED_CENTS),
            "remove": write_of(None, remove),
        },
    )


def _discounts(client: OrdersClient) -> Resource:
    """Return the `discount` resource, with positive amounts. Remove a discount as an `adjustment`."""

    async def find(place: Path, _filters: Values) -> Sequence[Record]:
        found = await client.discounts.of_order(place[0], number_of(place[1], "order"))
        return [_discount(place, each) for each in found]

    async def create(place: Path, asked: Draft) -> Record:
        return _discount(place, await client.discounts.create(place[0], number_of(place[1], "order"), asked.body))

    return Resource(
        kind="discount",
        system=SYSTEM,
        parts=("plan", "order", "discount"),
        columns=("amount", "description", "valid_from", "valid_until", "redeemed_amount"),
        key=(("amount", "description"),),
        all=find,
        writes={"create": write_of(NewDiscount, create, cents=_ASKED_CENTS)},
    )


def _adjustment(place: Path, found: Adjustment) -> Record:
    return Record((*place[:2], str(found.number)), found.description, values_of(found.model_dump(), cents=_CENTS))


def _discount(place: Path, found: Adjustment) -> Record:
    record = _adjustment(place, found)
    return Record(record.path, record.name, {**record.values, "amount": money.to_wire(-found.amount)})
