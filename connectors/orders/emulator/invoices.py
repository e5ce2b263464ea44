"""Invoices: the list of one order, a single one, and the paid ones of a plan."""

import json
from collections.abc import Mapping
from datetime import datetime

from connectors.emulation.dispatcher import Handler
from connectors.emulation.messages import Call, Json, Refusal, Response
from connectors.emulation.pagination import link_header_page
from connectors.orders.emulator.orders import order_address
from connectors.orders.emulator.state import Sales, missing, number_in


def handlers(sales: Sales) -> Mapping[str, Handler]:
    """Return this module's handlers by the operation's name in `fields.toml`."""
    invoices = Invoices(sales)
    return {
        "invoices.of_order": invoices.of_order,
        "invoices.read": invoices.read,
        "invoices.paid": invoices.paid,
    }


class Invoices:
    """The invoices, oldest first: by number within an order, by payment in the list of paid ones [A 3.6]."""

    def __init__(self, sales: Sales) -> None:
        self._sales = sales

    def of_order(self, call: Call) -> Response:
        order = self._sales.order(call)
        return self._list_page(call, "order_id = ?", (order["number"],), "number, id")

    def read(self, call: Call) -> Response:
        order = self._sales.order(call)
        row = self._sales.store.one(
            "SELECT body FROM sales_invoices WHERE order_id = ? AND number = ? ORDER BY id",
            (order["number"], number_in(call, 2)),
        )
        if row is None:
            raise missing()
        return Response(200, self._answer_json(call, json.loads(row[0])))

    def paid(self, call: Call) -> Response:
        plan = self._sales.plan(call)
        since = self._since(call.query.get("since"))
        return self._list_page(call, "plan = ? AND paid_at >= ?", (plan, since), "paid_at, number, id")

    def _since(self, text: str | None) -> str:
        """Return the start of the list; by default one month ago, which the service does not announce."""
        if text is None:
            now = self._sales.local_now()
            year, month = (now.year, now.month - 1) if now.month > 1 else (now.year - 1, 12)
            return f"{now.replace(year=year, month=month, day=min(now.day, 28)):%Y-%m-%d %H:%M:%S}"
        try:
            return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M:%S}"
        except ValueError:
            raise Refusal(400, {"field_errors": {"since": ["Informe uma data válida."]}}) from None

    def _list_page(self, call: Call, where: str, values: tuple[str | int, ...], order: str) -> Response:
        store = self._sales.store
        count = store.one(f"SELECT COUNT(*) FROM sales_invoices WHERE {where}", values)[0]  # noqa: S608 - ours

        def fetch(limit: int, offset: int) -> list[Json]:
            rows = store.all(
                f"SELECT body FROM sales_invoices WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",  # noqa: S608 - ours
                (*values, limit, offset),
            )
            return [self._answer_json(call, json.loads(row[0])) for row in rows]

        return link_header_page(call, count, fetch, missing=missing)

    def _answer_json(self, call: Call, invoice: Json) -> Json:
        """Return the stored record with its URLs."""
        address = order_address(call, invoice["plan_data"]["slug"], invoice["order"])
        addresses = {"url": f"{address}invoices/{invoice['number']}/", "order_url": address}
        return self._sales.shaped("invoice", {**invoice, **addresses})
