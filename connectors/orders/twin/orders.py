"""Orders: of a plan, of an account, one; their adjustments and discounts."""

import json
from collections.abc import Mapping
from typing import Any

from connectors.orders.twin.paging import linked
from connectors.orders.twin.sales import Sales, missing, number_in
from connectors.twins.answers import Answer, Call, Json
from connectors.twins.desk import Handler


def handlers(sales: Sales) -> Mapping[str, Handler]:
    """Operation → handler for these nouns."""
    orders = Orders(sales)
    return {
        "orders.of_plan": orders.of_plan,
        "orders.read": lambda call: Answer(200, orders.shown(call, sales.order(call))),
        "orders.of_account": orders.of_account,
        "adjustments.of_order": lambda call: Answer(200, orders.adjustments(call)),
        "adjustments.read": orders.adjustment,
        "discounts.of_order": lambda call: Answer(200, orders.adjustments(call, are_discounts=True)),
    }


class Orders:
    """Nothing here changes anything: this side of the service is only read."""

    def __init__(self, sales: Sales) -> None:
        self._sales = sales

    def of_plan(self, call: Call) -> Answer:
        return self._listed(call, "plan", self._sales.plan(call))

    def of_account(self, call: Call) -> Answer:
        """An account without orders has an empty list without a `Link` header [A 3.2]."""
        return self._listed(call, "account", call.rest[0], is_bare_when_empty=True)

    def _listed(self, call: Call, column: str, value: str, *, is_bare_when_empty: bool = False) -> Answer:
        store = self._sales.store
        count = store.one(f"SELECT COUNT(*) FROM sales_orders WHERE {column} = ?", (value,))[0]  # noqa: S608 - ours

        def fetch(limit: int, offset: int) -> list[Json]:
            rows = store.all(
                f"SELECT body FROM sales_orders WHERE {column} = ? ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608 - ours
                (value, limit, offset),
            )
            return [self.shown(call, json.loads(row[0])) for row in rows]

        return linked(call, count, fetch, is_bare_when_empty=is_bare_when_empty)

    def adjustments(self, call: Call, *, are_discounts: bool = False) -> list[Json]:
        """Discounts are the negative ones [A 3.7]."""
        order = self._sales.order(call)
        rows = self._sales.store.all(
            "SELECT id, body FROM sales_adjustments WHERE order_id = ? ORDER BY id", (order["number"],)
        )
        found = [(row_id, json.loads(body)) for row_id, body in rows]
        kept = [pair for pair in found if not are_discounts or pair[1]["amount"].startswith("-")]
        return [self._shown_adjustment(call, order, row_id, body) for row_id, body in kept]

    def adjustment(self, call: Call) -> Answer:
        order = self._sales.order(call)
        wanted = number_in(call, 2)
        row = self._sales.store.one(
            "SELECT body FROM sales_adjustments WHERE id = ? AND order_id = ?", (wanted, order["number"])
        )
        if row is None:
            raise missing()
        return Answer(200, self._shown_adjustment(call, order, wanted, json.loads(row[0])))

    def shown(self, call: Call, order: Json) -> Json:
        """The stored record with its addresses."""
        address = order_address(call, order["plan_slug"], order["number"])
        parts = ("invoices", "discounts", "adjustments")
        addresses: dict[str, Any] = {"api_url": address, "checkout_url": f"{call.base}/checkout/{order['number']}/"}
        addresses |= {f"{part}_url": f"{address}{part}/" for part in parts}
        return self._sales.shaped("order", {**order, **addresses, "plan_change_urls": {}})

    def _shown_adjustment(self, call: Call, order: Json, row_id: int, body: Json) -> Json:
        address = order_address(call, order["plan_slug"], order["number"])
        addresses = {"url": f"{address}adjustments/{row_id}/", "order_url": address}
        return self._sales.shaped("adjustment", {**body, **addresses})


def order_address(call: Call, plan: str, number: int) -> str:
    return f"{call.base}/api/orders/{plan}/{number}/"
