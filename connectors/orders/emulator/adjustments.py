"""Adjustments of an order's future invoices, and discounts, stored as negative adjustments [A 3.7]."""

import json
from collections.abc import Mapping

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.orders.emulator.checks import Checks
from connectors.orders.emulator.orders import order_address
from connectors.orders.emulator.state import Sales, missing, number_in


def handlers(sales: Sales) -> Mapping[str, Handler]:
    """Return the handlers about adjustments and discounts by the operation's name in `fields.toml`."""
    adjustments, discounts = Adjustments(sales, "adjustment"), Adjustments(sales, "discount")
    return {
        "adjustments.create": adjustments.create,
        "adjustments.of_order": adjustments.of_order,
        "adjustments.read": adjustments.read,
        "adjustments.remove": adjustments.remove,
        "discounts.create": discounts.create,
        "discounts.of_order": discounts.of_order,
    }


class Adjustments:
    """Handlers about adjustments or, with `resource` `discount`, about discounts: the negative adjustments."""

    def __init__(self, sales: Sales, resource: str) -> None:
        self._sales, self._resource = sales, resource
        self._checks = Checks(sales.document, sales.tables)

    def create(self, call: Call) -> Response:
        order = self._sales.order(call)
        asked = self._checks.adjustment(call, self._resource)
        sign = "-" if self._resource == "discount" else ""
        row_id, body = self._sales.add_adjustment(order["number"], {**asked, "amount": f"{sign}{asked['amount']}"})
        shown = self._answer_json(call, order, row_id, body)
        return Response(201, shown, {"Location": shown["url"]}, subject=f"order {order['number']}")

    def of_order(self, call: Call) -> Response:
        """List the order's adjustments, without pages."""
        order = self._sales.order(call)
        rows = self._sales.store.all(
            "SELECT id, body FROM sales_adjustments WHERE order_id = ? ORDER BY id", (order["number"],)
        )
        found = [(row_id, json.loads(body)) for row_id, body in rows]
        kept = [pair for pair in found if self._resource == "adjustment" or pair[1]["amount"].startswith("-")]
        return Response(200, [self._answer_json(call, order, row_id, body) for row_id, body in kept])

    def read(self, call: Call) -> Response:
        order = self._sales.order(call)
        return Response(200, self._answer_json(call, order, *self._find(call, order)))

    def remove(self, call: Call) -> Response:
        """Remove an adjustment or discount; answer 409 for one that an invoice already has."""
        order = self._sales.order(call)
        row_id, body = self._find(call, order)
        if body["redemptions"]:
            raise Refusal(409, {"errors": ["O ajuste já está em uma fatura."]})
        self._sales.store.run("DELETE FROM sales_adjustments WHERE id = ?", (row_id,))
        return Response(204, subject=f"order {order['number']}")

    def _find(self, call: Call, order: Json) -> tuple[int, Json]:
        wanted = number_in(call, 2)
        row = self._sales.store.one(
            "SELECT body FROM sales_adjustments WHERE id = ? AND order_id = ?", (wanted, order["number"])
        )
        if row is None:
            raise missing()
        return wanted, json.loads(row[0])

    def _answer_json(self, call: Call, order: Json, row_id: int, body: Json) -> Json:
        address = order_address(call, order["plan_slug"], order["number"])
        addresses = {"url": f"{address}adjustments/{row_id}/", "order_url": address}
        return self._sales.shaped("adjustment", {**body, **addresses})
