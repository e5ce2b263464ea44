"""The shared state of this emulator: one seller's plans, orders, invoices and adjustments, and its clock.

A company for the control verb `seed` may have its own under the key `sales`, in the shape of
`connectors.orders.emulator.seed.default_sales`. Records are stored as in answers, but without URLs.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from connectors.emulation.documents import bare
from connectors.emulation.field_tables import Table, load_tables
from connectors.emulation.instants import BRASILIA
from connectors.emulation.messages import Call, Json, Refusal
from connectors.emulation.state_file import Store
from connectors.emulation.system import Overview, StatusCounts

FIELDS_FILE: Final = Path(__file__).parent.parent / "fields.toml"
CONSUMER: Final = ("sandbox-consumer", "sandbox-secret")

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sales_plans (slug TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sales_orders (
    id INTEGER PRIMARY KEY, plan TEXT NOT NULL, account TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sales_accounts (uuid TEXT PRIMARY KEY);
CREATE INDEX IF NOT EXISTS sales_orders_by_plan ON sales_orders (plan);
CREATE INDEX IF NOT EXISTS sales_orders_by_account ON sales_orders (account);
-- no unique number on purpose: a provider that gives one twice has to be met
CREATE TABLE IF NOT EXISTS sales_invoices (
    id INTEGER PRIMARY KEY, plan TEXT NOT NULL, number INTEGER NOT NULL, order_id INTEGER NOT NULL, paid_at TEXT,
    body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS sales_invoices_paid ON sales_invoices (plan, paid_at);
CREATE INDEX IF NOT EXISTS sales_invoices_by_order ON sales_invoices (order_id);
CREATE TABLE IF NOT EXISTS sales_adjustments (
    id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, body TEXT NOT NULL);
"""

# "1234.50" always has two decimals: without the point it is cents
_PAID: Final = """
SELECT plan, substr(paid_at, 1, 7) AS month,
    SUM(CAST(replace(json_extract(body, '$.amount_with_adjustments'), '.', '') AS INTEGER)), COUNT(*)
FROM sales_invoices WHERE paid_at IS NOT NULL GROUP BY plan, month ORDER BY MIN(id)
"""


class Sales:
    """The plans, orders, invoices and adjustments of the emulated seller, kept in `store`.

    `now` is a function that returns the emulated clock, in seconds since 1970.
    """

    def __init__(self, store: Store, now: Callable[[], float]) -> None:
        self.store, self._now = store, now
        self.tables: Mapping[str, Table]
        self.tables, self.document = load_tables(FIELDS_FILE)

    def local_now(self) -> datetime:
        """Return the current instant in Brasília's time zone, which the service writes."""
        return datetime.fromtimestamp(self._now(), UTC).astimezone(BRASILIA)

    def shaped(self, resource: str, values: Mapping[str, Any]) -> Json:
        """Return exactly the fields of the table, in its order; a missing value is a bug of this emulator."""
        return {name: values[name] for name in self.document[resource]["answer"]}

    def fill(self, sales: Json) -> None:
        """Store plans, orders, invoices and adjustments in a store without any of them."""
        self.store.run_many(
            "INSERT INTO sales_plans (slug, body) VALUES (?, ?)",
            [(plan["slug"], _dump_json(plan)) for plan in sales.get("plans", ())],
        )
        self.store.run_many(
            "INSERT INTO sales_orders (id, plan, account, body) VALUES (?, ?, ?, ?)",
            [
                (order["number"], order["plan_slug"], order["global_account"], _dump_json(order))
                for order in sales["orders"]
            ],
        )
        self._add_accounts(*sales.get("accounts", ()), *(order["global_account"] for order in sales["orders"]))
        self.add_invoices(sales.get("invoices", ()))
        self.store.run_many(
            "INSERT INTO sales_adjustments (order_id, body) VALUES (?, ?)",
            [(row["order"], _dump_json(row)) for row in sales.get("adjustments", ())],
        )

    def add_order(self, plan: str, asked: Json) -> Json:
        """Store a new order with the next number and the plan's price. Return its record."""
        row = self.store.one("SELECT body FROM sales_plans WHERE slug = ?", (plan,))
        now, until = f"{self.local_now():%Y-%m-%d %H:%M:%S}", asked.get("active_until")
        order = dict.fromkeys(self.document["order"]["answer"]) | {
            "number": (self.store.one("SELECT MAX(id) FROM sales_orders")[0] or 0) + 1,
            "plan_slug": plan,
            "global_account": asked["global_account"],
            # the code of an older kind of client; an account has none [A 3.14]
            "user_code": "",
            "client_email": asked["client_email"],
            "client_name": asked.get("client_name", ""),
            "document_number": bare(asked["client_cpf"]) if "client_cpf" in asked else None,
            "amount": json.loads(row[0]).get("amount", "100.00"),
            "charge_day": min(self.local_now().day, 28),
            "created_at": now,
            "active_until": until and f"{until} 00:00:00",
            # An order waits for its first payment; a trial does not [A 3.12].
            "is_active": until is not None,
            "is_paid": False,
            "is_trial": until is not None,
            "is_recurring": until is None,
            "activation_expired": False,
        }
        self.store.run(
            "INSERT INTO sales_orders (id, plan, account, body) VALUES (?, ?, ?, ?)",
            (order["number"], plan, order["global_account"], _dump_json(order)),
        )
        self._add_accounts(order["global_account"])
        return order

    def account(self, call: Call) -> str:
        """Return the account in the path. Refuse an unknown one with a 404."""
        if self.store.one("SELECT 1 FROM sales_accounts WHERE uuid = ?", (call.uuid(),)) is None:
            raise missing()
        return call.uuid()

    def _add_accounts(self, *accounts: str) -> None:
        self.store.run_many("INSERT OR IGNORE INTO sales_accounts (uuid) VALUES (?)", [(each,) for each in accounts])

    def has_active_order(self, plan: str, account: str) -> bool:
        """Return whether this client has an active order of this plan."""
        rows = self.store.all("SELECT body FROM sales_orders WHERE plan = ? AND account = ?", (plan, account))
        return any(json.loads(row[0])["is_active"] for row in rows)

    def add_adjustment(self, order_number: int, values: Json) -> tuple[int, Json]:
        """Store an adjustment that is on no invoice yet. Return its id and record."""
        blank: Json = {"valid_from": None, "valid_until": None, "redeemed_amount": 0, "redemptions": []}
        body = {"order": order_number, **blank, **values}
        row_id = self.store.run(
            "INSERT INTO sales_adjustments (order_id, body) VALUES (?, ?)", (order_number, _dump_json(body))
        )
        return row_id, body

    def redeem(self, number: int) -> None:
        """Mark the adjustment as being on an invoice. Raises `ValueError` with a sentence for an unknown one."""
        row = self.store.one("SELECT body FROM sales_adjustments WHERE id = ?", (number,))
        if row is None:
            raise ValueError(f"there is no adjustment {number}")
        body = json.loads(row[0])
        body |= {"redeemed_amount": body["amount"], "redemptions": [{"amount": body["amount"]}]}
        self.store.run("UPDATE sales_adjustments SET body = ? WHERE id = ?", (_dump_json(body), number))

    def add_invoices(self, invoices: Sequence[Json]) -> None:
        """Store invoices. `order` is the order's number; two invoices may have one number."""
        self.store.run_many(
            "INSERT INTO sales_invoices (plan, number, order_id, paid_at, body) VALUES (?, ?, ?, ?, ?)",
            [
                (row["plan_data"]["slug"], row["number"], row["order"], row["paid_at"], _dump_json(row))
                for row in invoices
            ],
        )

    def change_invoice(self, plan: str, number: int, changes: Mapping[str, Any]) -> None:
        """Overwrite fields of an invoice. Raises `ValueError` with a sentence for an unknown one."""
        rows = self.store.all("SELECT id, body FROM sales_invoices WHERE plan = ? AND number = ?", (plan, number))
        if not rows:
            raise ValueError(f"the plan {plan} has no invoice {number}")
        for row_id, body in rows:
            changed = {**json.loads(body), **changes}
            self.store.run(
                "UPDATE sales_invoices SET paid_at = ?, body = ? WHERE id = ?",
                (changed["paid_at"], _dump_json(changed), row_id),
            )

    def change_order(self, number: int, changes: Mapping[str, Any]) -> None:
        """Overwrite fields of an order. Raises `ValueError` with a sentence for an unknown one."""
        row = self.store.one("SELECT body FROM sales_orders WHERE id = ?", (number,))
        if row is None:
            raise ValueError(f"there is no order {number}")
        changed = {**json.loads(row[0]), **changes}
        self.store.run("UPDATE sales_orders SET body = ? WHERE id = ?", (_dump_json(changed), number))

    def drop_invoice(self, plan: str, number: int) -> None:
        self.store.run("DELETE FROM sales_invoices WHERE plan = ? AND number = ?", (plan, number))

    def plan(self, call: Call) -> str:
        """Return the slug of the plan in the path. Refuse an unknown one with a 404."""
        slug = call.rest[0]
        if self.store.one("SELECT 1 FROM sales_plans WHERE slug = ?", (slug,)) is None:
            raise missing()
        return slug

    def order(self, call: Call) -> Json:
        """Return the order in the path. Refuse an order of another plan with a 404."""
        row = self.store.one(
            "SELECT body FROM sales_orders WHERE plan = ? AND id = ?", (self.plan(call), number_in(call, 1))
        )
        if row is None:
            raise missing()
        found: Json = json.loads(row[0])
        return found


def missing() -> Refusal:
    """Return a 404 of this service: an empty body with a JSON content type [A 3.3]."""
    return Refusal(404, None, media="application/json; charset=utf-8")


def number_in(call: Call, place: int) -> int:
    """Return the number in a variable part of the path. A number too large for a database is a 404."""
    text = call.rest[place]
    if len(text) > 18:
        raise missing()
    return int(text)


def record(sales: Sales) -> Json:
    """Return sums in cents of paid invoices by plan and month of payment, to compare with a report."""
    sums: dict[str, dict[str, int]] = {}
    count = 0
    for plan, month, cents, paid in sales.store.all(_PAID):
        sums.setdefault(plan, {})[month] = cents
        count += paid
    return {"paid_cents": sums, "paid_count": count, "orders": sales.store.one("SELECT COUNT(*) FROM sales_orders")[0]}


def overview(sales: Sales) -> Overview:
    """Count orders by state, and invoices by whether they are paid."""
    by_state = (
        "SELECT CASE WHEN json_extract(body, '$.is_active') THEN 'active'"
        " WHEN json_extract(body, '$.is_trial') THEN 'trial' ELSE 'ended' END AS state, COUNT(*)"
        " FROM sales_orders GROUP BY state"
    )
    paid = "SELECT COUNT(paid_at), COUNT(*) - COUNT(paid_at) FROM sales_invoices"
    count_paid, count_unpaid = sales.store.one(paid)
    return Overview(
        (
            StatusCounts("orders", dict(sales.store.all(by_state))),
            StatusCounts("order_invoices", {"paid": count_paid, "unpaid": count_unpaid}),
        )
    )


def _dump_json(body: Json) -> str:
    return json.dumps(body, ensure_ascii=False)
