"""Orders: list by plan or account, read, create, change and cancel."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from connectors.emulation.dispatcher import Handler
from connectors.emulation.documents import bare
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.emulation.pagination import link_header_page
from connectors.orders.emulator.checks import Checks
from connectors.orders.emulator.state import Sales, missing


def handlers(sales: Sales) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    orders = Orders(sales)
    return {
        "orders.create": orders.create,
        "orders.of_plan": orders.of_plan,
        "orders.read": orders.read,
        "orders.change": orders.change,
        "orders.cancel": orders.cancel,
        "orders.of_account": orders.of_account,
    }


class Orders:
    """A plan's orders. A cancelled one stays and is not active any more [A 3.11]."""

    def __init__(self, sales: Sales) -> None:
        self._sales = sales
        self._checks = Checks(sales.document, sales.tables)

    def create(self, call: Call) -> Response:
        """Create an order; a trial if it has `active_until`. Its discount becomes an ordinary adjustment."""
        plan = self._sales.plan(call)
        asked = self._checks.order(call)
        if self._sales.has_active_order(plan, asked["global_account"]):
            raise Refusal(409, {"errors": ["O cliente já tem um pedido ativo neste plano."]})
        order = self._sales.add_order(plan, asked)
        if "discount_amount" in asked:
            discount = {"amount": f"-{asked['discount_amount']}", "description": asked["discount_description"]}
            self._sales.add_adjustment(order["number"], discount)
        shown = self._answer_json(call, order)
        return Response(201, shown, {"Location": shown["checkout_url"]}, subject=f"order {order['number']}")

    def of_plan(self, call: Call) -> Response:
        return self._list_page(call, "plan", self._sales.plan(call))

    def of_account(self, call: Call) -> Response:
        """List an account's orders; an unknown account is a 404.

        Without orders, answer an empty list without a `Link` header [A 3.2].
        """
        return self._list_page(call, "account", self._sales.account(call), is_bare_when_empty=True)

    def read(self, call: Call) -> Response:
        return Response(200, self._answer_json(call, self._sales.order(call)))

    def change(self, call: Call) -> Response:
        """Change the client's data; keep fields that the body omits."""
        order = self._sales.order(call)
        asked = self._checks.change(call)
        changes = {name: value for name, value in asked.items() if name != "identity"}
        changes["document_number"] = bare(asked["document_number"])
        self._sales.change_order(order["number"], changes)
        return Response(201, self._answer_json(call, self._sales.order(call)), subject=f"order {order['number']}")

    def cancel(self, call: Call) -> Response:
        order = self._sales.order(call)
        ended = {"is_active": False, "is_recurring": False, "next_payment_at": None}
        self._sales.change_order(order["number"], ended)
        return Response(204, subject=f"order {order['number']}")

    def _list_page(self, call: Call, column: str, value: str, *, is_bare_when_empty: bool = False) -> Response:
        store = self._sales.store
        count = store.one(f"SELECT COUNT(*) FROM sales_orders WHERE {column} = ?", (value,))[0]  # noqa: S608 - ours

        def fetch(limit: int, offset: int) -> list[Json]:
            rows = store.all(
                f"SELECT body FROM sales_orders WHERE {column} = ? ORDER BY id LIMIT ? OFFSET ?",  # noqa: S608 - ours
                (value, limit, offset),
            )
            return [self._answer_json(call, json.loads(row[0])) for row in rows]

        return link_header_page(call, count, fetch, missing=missing, is_bare_when_empty=is_bare_when_empty)

    def _answer_json(self, call: Call, order: Json) -> Json:
        """Return the stored record with its URLs."""
        address = order_address(call, order["plan_slug"], order["number"])
        parts = ("invoices", "discounts", "adjustments")
        checkout = f"{call.base}/{quote(order['plan_slug'], safe='')}/{order['number']}/checkout/"
        addresses: dict[str, Any] = {"api_url": address, "checkout_url": checkout}
        addresses |= {f"{part}_url": f"{address}{part}/" for part in parts}
        return self._sales.shaped("order", {**order, **addresses, "plan_change_urls": {}})


def order_address(call: Call, plan: str, number: int) -> str:
    return f"{call.base}/api/orders/{quote(plan, safe='')}/{number}/"
