"""Orders as the order service last described them. An order may change, but never its account and its creation."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger.database.sql import insert_many, is_in, now
from connectors.ledger.mirror import tables
from connectors.ledger.mirror.discrepancies import Clash, record_ours_seen, store_clashes
from connectors.ledger.mirror.paid_invoices import MirrorCounts
from domain.orders.orders import ListedOrder, Order

_t = tables.orders
_cursors = tables.cursors
_COLUMNS: Final = tuple(each.name for each in fields(Order))
_IDENTITY: Final = ("account_uuid", "created_at")


def store_orders(conn: sa.Connection, orders: Sequence[Order], *, pull: str) -> MirrorCounts:
    """Insert or update orders of one plan, as seen in the pull named `pull`.

    An order with another account or another instant of creation is a clash: it is stored, and the order's values in the
    mirror stay unchanged.
    """
    if not orders:
        return MirrorCounts()
    (plan,) = {order.plan_slug for order in orders}
    numbers = sorted({order.number for order in orders})
    mine = sa.and_(_t.c.plan_slug == plan, is_in(conn, _t.c.number, numbers))
    held = {row.number: _read(row) for row in conn.execute(sa.select(_t).where(mine))}
    new: dict[int, Order] = {}
    changed: dict[int, Order] = {}
    known: list[int] = []
    clashing: list[Clash] = []
    at = now(conn)
    for order in orders:
        first = held.setdefault(order.number, order)
        if first is order:
            new[order.number] = order
        elif any(getattr(first, name) != getattr(order, name) for name in _IDENTITY):
            clashing.append(_clash(first, order))
        elif first != order:
            changed[order.number] = order
        else:
            known.append(order.number)
    insert_many(conn, _t, [_line(order) | {"mirrored_at": at, "seen_in": pull} for order in new.values()])
    for order in changed.values():
        one = sa.and_(_t.c.plan_slug == plan, _t.c.number == order.number)
        conn.execute(sa.update(_t).where(one).values(**_line(order), mirrored_at=at))
    conn.execute(sa.update(_t).where(mine).values(seen_in=pull))
    clashes = store_clashes(conn, clashing, pull=pull)
    record_ours_seen(conn, plan, "orders", [*known, *changed], pull=pull)
    return MirrorCounts(new=len(new), changed=len(changed), known=len(known), clashes=clashes)


def count_orders(conn: sa.Connection, plan_slug: str, *, pull: str) -> int:
    """Count the plan's orders that the pull named `pull` saw."""
    query = sa.select(sa.func.count()).where(_t.c.plan_slug == plan_slug, _t.c.seen_in == pull)
    return int(conn.execute(query).scalar_one())


def orders_of(conn: sa.Connection, plan_slugs: Iterable[str]) -> list[ListedOrder]:
    """Return every order of the plans by plan and number.

    An order that the newest complete pull did not see is gone; while a pull is unfinished, none is.
    """
    is_gone = sa.and_(
        _cursors.c.synced_in.is_not(None), _t.c.seen_in != _cursors.c.synced_in, _cursors.c.pull.is_(None)
    )
    query = (
        sa.select(_t, sa.func.coalesce(is_gone, sa.false()).label("is_gone"))
        .outerjoin(_cursors, sa.and_(_cursors.c.plan_slug == _t.c.plan_slug, _cursors.c.kind == "orders"))
        .where(is_in(conn, _t.c.plan_slug, sorted(set(plan_slugs))))
        .order_by(_t.c.plan_slug, _t.c.number)
    )
    return [ListedOrder(_read(row), bool(row.is_gone)) for row in conn.execute(query)]


def _read(row: Any) -> Order:
    return Order(**{name: getattr(row, name) for name in _COLUMNS})


def _line(order: Order) -> dict[str, Any]:
    return {name: getattr(order, name) for name in _COLUMNS}


def _clash(first: Order, second: Order) -> Clash:
    names = [name for name in _IDENTITY if getattr(first, name) != getattr(second, name)]
    return Clash(
        plan_slug=second.plan_slug,
        kind="orders",
        number=second.number,
        digest=second.digest(),
        ours={name: str(getattr(first, name)) for name in names},
        theirs={name: str(getattr(second, name)) for name in names},
    )
