"""Store the claims of webhook deliveries. A claim brings the next look at a batch forward and changes nothing else.

Anybody who knows the webhook's address can send a delivery. So an invoice has at most one hint, and only while it is
under way. However many deliveries arrive, hints cause no more looks than `HintLimits` allows.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import DialectInsert, insert_with
from connectors.ledger.database.sql import clock, is_in, now, values
from connectors.ledger.leases import is_free
from domain.states import BatchState, InvoiceState

_t, _d = tables.hints, tables.deliveries
_batches, _invoices = tables.batches, tables.invoices
_FOLLOWED: Final = [str(BatchState.SCHEDULED), str(BatchState.PROCESSING)]
_UNDER_WAY: Final = [
    str(InvoiceState.CREATED),
    str(InvoiceState.SCHEDULED),
    str(InvoiceState.PROCESSING),
    str(InvoiceState.CANCELLING),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HintLimits:
    """Limits for looks that hints bring forward, in seconds.

    Args:
        settle_s: From the last hint of a batch to the look, because the provider's counters may lag.
        every_s: Shortest time from one look to the next, if each invoice under way has a hint.
        within_s: Time from one look to the next while some invoices under way have no hint.
    """

    settle_s: float
    every_s: float
    within_s: float


@dataclass(frozen=True, slots=True)
class HintedInvoice:
    """An invoice under way that a delivery named. `is_fresh`: its hint is stored, and no later look used it yet."""

    invoice_id: int
    batch_id: int
    remote_id: int
    is_fresh: bool


def hinted_invoices(
    conn: sa.Connection, remote_ids: Collection[int], *, issuers: Iterable[str], limits: HintLimits
) -> list[HintedInvoice]:
    """Return the invoices under way that have one of these remote ids at one of these issuers."""
    query = (
        sa.select(
            _invoices.c.id, _invoices.c.batch_id, _invoices.c.remote_id, sa.func.coalesce(_is_fresh(limits), False)
        )
        .join(_batches, _batches.c.id == _invoices.c.batch_id)
        .outerjoin(_t, _t.c.invoice_id == _invoices.c.id)
        .where(is_in(conn, _invoices.c.remote_id, remote_ids), _invoices.c.issuer.in_(sorted(issuers)))
        .where(_batches.c.state.in_(_FOLLOWED), _invoices.c.state.in_(_UNDER_WAY))
    )
    return [HintedInvoice(row[0], row[1], row[2], bool(row[3])) for row in conn.execute(query)]


def store(conn: sa.Connection, found: Iterable[HintedInvoice], counts: Mapping[str, int], limits: HintLimits) -> None:
    """Store or renew the hint of each invoice, and bring the batches' looks forward.

    Add `counts` to the deliveries. Delete the hints of batches that have ended.
    """
    count_deliveries(conn, counts)
    rows = [(each.invoice_id, each.batch_id) for each in found]
    if rows:
        given = values(conn, "given", {"invoice_id": sa.BigInteger(), "batch_id": sa.BigInteger()}, rows)
        # SQLite reads a conflict clause after a query without WHERE as a join.
        known = sa.select(given.c.invoice_id, given.c.batch_id, clock(conn)).where(sa.true())
        insert = insert_with(conn, _t, _renew_on_conflict)
        conn.execute(insert.from_select(["invoice_id", "batch_id", "heard_at"], known))
    followed = sa.select(_batches.c.id).where(_batches.c.state.in_(_FOLLOWED))
    conn.execute(sa.delete(_t).where(_t.c.batch_id.not_in(followed)))
    bring_forward(conn, early_looks(conn, limits))


def early_looks(conn: sa.Connection, limits: HintLimits) -> dict[int, datetime]:
    """Return the instant of the next look of each batch whose hints make it earlier.

    Leave out a batch with a worker, whose hints count when the worker has ended, and a batch with an invoice in doubt,
    which waits for its quiet time.
    """
    at = now(conn)
    query = (
        sa.select(_batches.c.id, _batches.c.due_at, _batches.c.claimed_at, sa.func.max(_t.c.heard_at, type_=_HEARD))
        .join(_t, _t.c.batch_id == _batches.c.id)
        .where(_batches.c.state.in_(_FOLLOWED), _batches.c.due_at > at, is_free(at), _is_fresh(limits))
        .where(sa.not_(_has_invoice([str(InvoiceState.IN_DOUBT)])))
        .group_by(_batches.c.id, _batches.c.due_at, _batches.c.claimed_at)
    )
    found = list(conn.execute(query))
    unheard = _batches_with_missing_hints(conn, [row[0] for row in found])
    looks = {}
    for batch_id, due_at, claimed_at, heard_at in found:
        last_at = claimed_at or at
        if batch_id in unheard:
            wanted = last_at + timedelta(seconds=limits.within_s)
        else:
            wanted = max(heard_at + timedelta(seconds=limits.settle_s), last_at + timedelta(seconds=limits.every_s))
        if max(wanted, at) < due_at:
            looks[batch_id] = max(wanted, at)
    return looks


def bring_forward(conn: sa.Connection, looks: Mapping[int, datetime]) -> None:
    """Make each batch due at the given instant. Leave batches that are due earlier, have ended, or have a worker."""
    at = now(conn)
    for batch_id, due_at in sorted(looks.items()):
        change = sa.update(_batches).where(_batches.c.id == batch_id, _batches.c.due_at > due_at, is_free(at))
        conn.execute(change.where(_batches.c.state.in_(_FOLLOWED)).values(due_at=due_at))


def hinted_batches(conn: sa.Connection) -> list[int]:
    """Return the batches under way that have a hint."""
    query = sa.select(_t.c.batch_id).join(_batches, _batches.c.id == _t.c.batch_id)
    return sorted(set(conn.execute(query.where(_batches.c.state.in_(_FOLLOWED))).scalars()))


def count_deliveries(conn: sa.Connection, counts: Mapping[str, int]) -> None:
    """Add `counts` to the stored counts of deliveries, by outcome."""
    for outcome, count in sorted(counts.items()):
        insert = insert_with(conn, _d, _add_on_conflict)
        conn.execute(insert.values(outcome=outcome, count=count, last_at=clock(conn)))


def _renew_on_conflict(insert: DialectInsert) -> DialectInsert:
    return insert.on_conflict_do_update(index_elements=["invoice_id"], set_={"heard_at": insert.excluded["heard_at"]})


def _add_on_conflict(insert: DialectInsert) -> DialectInsert:
    added = {"count": _d.c.count + insert.excluded["count"], "last_at": insert.excluded["last_at"]}
    return insert.on_conflict_do_update(index_elements=["outcome"], set_=added)


def delivery_counts(conn: sa.Connection) -> dict[str, tuple[int, datetime]]:
    """Return the total count and the last instant of deliveries, by outcome."""
    return {
        row.outcome: (row[1], row.last_at) for row in conn.execute(sa.select(_d.c.outcome, _d.c["count"], _d.c.last_at))
    }


def count_hints(conn: sa.Connection) -> int:
    """Return the number of stored hints."""
    return int(conn.execute(sa.select(sa.func.count()).select_from(_t)).scalar_one())


def _is_fresh(limits: HintLimits) -> sa.ColumnElement[bool]:
    """Return the condition that no look began after the hint's counters had settled (`settle_s`)."""
    settled = sa.type_coerce(_t.c.heard_at, sa.BigInteger) + round(limits.settle_s * 1_000_000)
    return sa.or_(_batches.c.claimed_at.is_(None), settled > sa.type_coerce(_batches.c.claimed_at, sa.BigInteger))


def _has_invoice(states: Collection[str]) -> sa.ColumnElement[bool]:
    return sa.exists().where(_invoices.c.batch_id == _batches.c.id, _invoices.c.state.in_(states))


def _batches_with_missing_hints(conn: sa.Connection, batch_ids: Collection[int]) -> set[int]:
    """Return the batches that have an invoice under way without a hint."""
    query = (
        sa.select(_invoices.c.batch_id)
        .outerjoin(_t, _t.c.invoice_id == _invoices.c.id)
        .where(
            is_in(conn, _invoices.c.batch_id, batch_ids), _invoices.c.state.in_(_UNDER_WAY), _t.c.invoice_id.is_(None)
        )
        .distinct()
    )
    return set(conn.execute(query).scalars())


_HEARD: Final[Any] = _t.c.heard_at.type
