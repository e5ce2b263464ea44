"""Read the data of a report from one snapshot of the mirror."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from connectors.ledger.database.sql import is_in
from connectors.ledger.mirror import tables
from connectors.ledger.mirror.discrepancies import Clash, clashes_of
from connectors.ledger.mirror.orders import orders_of
from connectors.ledger.mirror.paid_invoices import paid_between
from connectors.ledger.mirror.sync_cursors import SyncCursor, cursor_of
from domain.orders.orders import ListedOrder
from domain.orders.paid_invoices import PaidInvoice

_t = tables.paid_invoices


@dataclass(frozen=True, slots=True)
class PaidSnapshot:
    """The data of the payments report. `names`: plan slug → newest name. `cursors`: progress of each pulled list."""

    invoices: list[PaidInvoice]
    clashes: list[Clash]
    cursors: list[SyncCursor]
    names: dict[str, str]


@dataclass(frozen=True, slots=True)
class OrdersSnapshot:
    """The data of the orders report, like `PaidSnapshot`."""

    orders: list[ListedOrder]
    clashes: list[Clash]
    cursors: list[SyncCursor]
    names: dict[str, str]


def read_paid(conn: sa.Connection, plan_slugs: Sequence[str], *, since: datetime) -> PaidSnapshot:
    """Return the plans' invoices paid at or after `since`, with all open clashes about their paid invoices."""
    return PaidSnapshot(
        paid_between(conn, plan_slugs, since=since),
        clashes_of(conn, plan_slugs, "paid_invoices"),
        [cursor for plan in plan_slugs if (cursor := cursor_of(conn, plan, "paid_invoices")) is not None],
        plan_names(conn, plan_slugs),
    )


def read_orders(conn: sa.Connection, plan_slugs: Sequence[str]) -> OrdersSnapshot:
    """Return all data about the plans' orders."""
    return OrdersSnapshot(
        orders_of(conn, plan_slugs),
        clashes_of(conn, plan_slugs, "orders"),
        [cursor for plan in plan_slugs if (cursor := cursor_of(conn, plan, "orders")) is not None],
        plan_names(conn, plan_slugs),
    )


def plan_names(conn: sa.Connection, plan_slugs: Iterable[str]) -> dict[str, str]:
    """Return each plan's name by slug, from its newest paid invoice: orders do not have it."""
    mine = is_in(conn, _t.c.plan_slug, sorted(set(plan_slugs)))
    newest = sa.select(_t.c.plan_slug, sa.func.max(_t.c.id).label("id")).where(mine).group_by(_t.c.plan_slug).subquery()
    query = sa.select(_t.c.plan_slug, _t.c.plan_name).join(newest, newest.c.id == _t.c.id)
    return {row.plan_slug: row.plan_name for row in conn.execute(query)}
