"""Cancellations of issued invoices: who asked for one and why, who approved it, and its outcome.

Only the invoice's state says whether it is cancelled. A cancellation is a person's request: it is open until the issuer
shows the invoice as cancelled, refuses, or gives no answer, or until the person withdraws it. An invoice has at most
one open cancellation.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final, Literal

import sqlalchemy as sa

from connectors.ledger import attempts, tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock, is_in, now
from connectors.ledger.journal import journal_subjects
from connectors.ledger.leases import Lease, is_due, is_free, is_put_aside, move_under
from domain.states import Entity, InvoiceState

_t = tables.cancellations
_invoices = tables.invoices
_batches = tables.batches

Outcome = Literal["cancelled", "refused", "withdrawn", "unanswered"]
WHAT: Final = "cancel"
"""Value of `attempts.what` for a cancellation's request."""


@dataclass(frozen=True, slots=True)
class Cancellation:
    """A person's request to cancel an invoice. `ended_at` None: it is open. `batch_id` is the invoice's batch.

    `answers` are our problems (with `params`) or the issuer's messages (`code`, `description`, `tip`).
    """

    id: int
    invoice_id: int
    reason: str
    requested_by: str
    requested_at: datetime
    approved_by: str | None
    approved_at: datetime | None
    due_at: datetime
    ended_at: datetime | None
    outcome: Outcome | None
    answers: list[dict[str, Any]]
    batch_id: int


def request(conn: sa.Connection, invoice_ids: Sequence[int], *, reason: str, by: str) -> list[int]:
    """Store a person's request to cancel these accepted invoices. Return the ids of the new cancellations.

    Skip an invoice that is not accepted any more or that has an open cancellation.
    """
    accepted = sa.select(_invoices.c.id).where(
        is_in(conn, _invoices.c.id, invoice_ids), _invoices.c.state == str(InvoiceState.ACCEPTED)
    )
    ids = conn.execute(accepted.order_by(_invoices.c.id)).scalars().all()
    at = now(conn)
    lines = [
        {
            "invoice_id": each,
            "reason": reason,
            "requested_by": by,
            "requested_at": at,
            "due_at": at,
            "answers": [],
        }
        for each in ids
    ]
    made = conn.execute(insert_unless_known(conn, _t).returning(_t.c.id), lines) if lines else None
    return [] if made is None else sorted(made.scalars())


def approve(conn: sa.Connection, ids: Sequence[int], *, by: str) -> list[int]:
    """Approve open cancellations. Return the ids that this call approved."""
    change = sa.update(_t).where(is_in(conn, _t.c.id, ids), _t.c.ended_at.is_(None), _t.c.approved_at.is_(None))
    made = conn.execute(change.values(approved_by=by, approved_at=clock(conn)).returning(_t.c.id))
    return sorted(made.scalars())


def cents_approved(conn: sa.Connection, ids: Collection[int], *, by: str, since: sa.ColumnElement[datetime]) -> int:
    """Return the sum, in cents, of the invoices whose cancellation `by` approved after `since`.

    Only cancellations of the same emitters and months as those of `ids` count, and none that was withdrawn or refused.
    """
    months = sa.select(_invoices.c.emitter_id, _invoices.c.competence).join(_t, _t.c.invoice_id == _invoices.c.id)
    query = (
        sa.select(sa.func.coalesce(sa.func.sum(_invoices.c.service_cents), 0))
        .join(_t, _t.c.invoice_id == _invoices.c.id)
        .where(_t.c.approved_by == by, _t.c.approved_at > since)
        .where(sa.or_(_t.c.outcome.is_(None), _t.c.outcome.not_in(["withdrawn", "refused"])))
        .where(sa.tuple_(_invoices.c.emitter_id, _invoices.c.competence).in_(months.where(is_in(conn, _t.c.id, ids))))
    )
    return int(conn.execute(query).scalar_one())


def withdraw(conn: sa.Connection, ids: Sequence[int], *, answers: Sequence[Mapping[str, Any]]) -> list[int]:
    """Withdraw the open ones of these cancellations whose invoice is `accepted`. Return their ids.

    The issuer was not asked about such an invoice, or has refused.
    """
    accepted = sa.select(_invoices.c.id).where(_invoices.c.state == str(InvoiceState.ACCEPTED))
    change = sa.update(_t).where(is_in(conn, _t.c.id, ids), _t.c.ended_at.is_(None), _t.c.invoice_id.in_(accepted))
    values = {"ended_at": clock(conn), "outcome": "withdrawn", "answers": [dict(each) for each in answers]}
    return sorted(conn.execute(change.values(**values).returning(_t.c.id)).scalars())


def end(conn: sa.Connection, cancellation_id: int, outcome: Outcome, answers: Sequence[Mapping[str, Any]] = ()) -> bool:
    """Close an open cancellation with its outcome. Return False when it was closed before."""
    change = sa.update(_t).where(_t.c.id == cancellation_id, _t.c.ended_at.is_(None))
    values = {"ended_at": clock(conn), "outcome": outcome, "answers": [dict(each) for each in answers]}
    return conn.execute(change.values(**values)).rowcount == 1


def postpone_cancellation(conn: sa.Connection, cancellation_id: int, *, seconds: float) -> None:
    """Make an open cancellation due again in this many seconds."""
    change = sa.update(_t).where(_t.c.id == cancellation_id, _t.c.ended_at.is_(None))
    conn.execute(change.values(due_at=clock(conn, plus_s=seconds)))


def begin(conn: sa.Connection, lease: Lease, invoice_id: int, *, because: str) -> int | None:
    """Move an invoice accepted → cancelling, and store an attempt. Commit before the first byte leaves.

    Return the attempt's id, or None when the invoice is not accepted any more. Raises `FenceLost`.
    """
    states = {"was": InvoiceState.ACCEPTED, "becomes": InvoiceState.CANCELLING}
    moved = move_under(conn, lease, [invoice_id], **states, because=because)
    return attempts.begin(conn, lease, WHAT, invoice_id=invoice_id) if moved else None


def give_up(conn: sa.Connection, lease: Lease, invoice_id: int, *, because: str) -> bool:
    """Move an invoice cancelling → accepted, because the issuer did not take the request. Return whether it moved.

    Raises `FenceLost`.
    """
    states = {"was": InvoiceState.CANCELLING, "becomes": InvoiceState.ACCEPTED}
    return bool(move_under(conn, lease, [invoice_id], **states, because=because))


def open_of_batch(conn: sa.Connection, batch_id: int) -> list[Cancellation]:
    """Return the approved open cancellations of a batch's invoices, due or not, oldest first."""
    return _select(conn, _invoices.c.batch_id == batch_id, _t.c.ended_at.is_(None), _t.c.approved_at.is_not(None))


def of_invoices(conn: sa.Connection, invoice_ids: Collection[int]) -> list[Cancellation]:
    """Return every cancellation of these invoices, oldest first."""
    return _select(conn, is_in(conn, _t.c.invoice_id, invoice_ids))


def by_ids(conn: sa.Connection, ids: Collection[int]) -> list[Cancellation]:
    """Return these cancellations, oldest first."""
    return _select(conn, is_in(conn, _t.c.id, ids))


def all_open(conn: sa.Connection) -> list[Cancellation]:
    """Return every open cancellation, oldest first."""
    return _select(conn, _t.c.ended_at.is_(None))


def open_or_ended_since(conn: sa.Connection, since: datetime) -> list[Cancellation]:
    """Return the open cancellations and those that ended at or after `since`, oldest first."""
    return _select(conn, sa.or_(_t.c.ended_at.is_(None), _t.c.ended_at >= since))


def due_batches(conn: sa.Connection, *, silent: Collection[str] = (), limit: int = 200) -> list[int]:
    """Return the batches without a worker that have a due, open and approved cancellation.

    Leave out batches that a worker put off until a later instant: the end of a dead worker's quiet time, or of a wait
    that the issuer asked for. `silent` names issuers that must get no requests now.
    """
    at = now(conn)
    query = (
        sa.select(_batches.c.id)
        .join(_invoices, _invoices.c.batch_id == _batches.c.id)
        .join(_t, _t.c.invoice_id == _invoices.c.id)
        .where(_t.c.ended_at.is_(None), _t.c.approved_at.is_not(None), is_due(_t.c.due_at, at))
        .where(is_free(at), ~is_put_aside(at), _batches.c.issuer.not_in(list(silent)))
        .distinct()
        .order_by(_batches.c.id)
        .limit(limit)
    )
    return list(conn.execute(query).scalars())


def next_due_at(conn: sa.Connection) -> datetime | None:
    """Return the earliest instant at which an approved open cancellation is due; None if there is none."""
    query = sa.select(sa.func.min(_t.c.due_at, type_=_t.c.due_at.type))
    found: datetime | None = conn.execute(
        query.where(_t.c.ended_at.is_(None), _t.c.approved_at.is_not(None))
    ).scalar_one()
    return found


@dataclass(frozen=True, slots=True)
class Issued:
    """Bounds of the instant of issue: the start of our last post, and when a look first showed the invoice accepted."""

    posted_at: datetime | None = None
    seen_at: datetime | None = None


def issued_between(conn: sa.Connection, invoice_ids: Sequence[int]) -> dict[int, Issued]:
    """Return the bounds of the instant of issue of each of these invoices."""
    attempted, events = tables.attempts, tables.events
    posted = (
        sa.select(attempted.c.invoice_id, sa.func.max(attempted.c.begun_at, type_=attempted.c.begun_at.type))
        .where(is_in(conn, attempted.c.invoice_id, invoice_ids), attempted.c.what == "post")
        .group_by(attempted.c.invoice_id)
    )
    asked, is_theirs = journal_subjects(conn, Entity.INVOICE, invoice_ids)
    seen = (
        sa.select(asked.c.id, sa.func.min(events.c.at, type_=events.c.at.type))
        .select_from(asked.join(events, is_theirs))
        .where(events.c.becomes == str(InvoiceState.ACCEPTED))
        .group_by(asked.c.id)
    )
    first, last = (dict(tuple(row) for row in conn.execute(query)) for query in (posted, seen))
    return {each: Issued(first.get(each), last.get(each)) for each in invoice_ids}


def _select(conn: sa.Connection, *conditions: sa.ColumnElement[bool]) -> list[Cancellation]:
    query = sa.select(*_RECORD).join(_invoices, _invoices.c.id == _t.c.invoice_id)
    return [Cancellation(*row) for row in conn.execute(query.where(*conditions).order_by(_t.c.id))]


_RECORD: Final = [(_invoices if field.name == "batch_id" else _t).c[field.name] for field in fields(Cancellation)]
