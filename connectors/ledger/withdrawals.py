"""Withdraw batches before the send, and notes that were missing when somebody else sent their batch.

A withdrawn note's number is retired; the note is drafted again if it must still be issued.
"""

from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import approvals, invoices, parties, tables
from connectors.ledger.database.sql import clock
from connectors.ledger.journal import is_about
from connectors.ledger.leases import FenceLost, Lease, check, move_under
from domain.problems import FaturistaError, Problem
from domain.states import LIVING, BatchState, Entity, InvoiceState

_t = tables.batches
_invoices = tables.invoices
_attempts = tables.attempts
_IS_DELETED_BY_US: Final = sa.exists().where(_attempts.c.invoice_id == _invoices.c.id, _attempts.c.what == "delete")


class Unsettled(FaturistaError):
    """The batch cannot become `discarded`: a note of it may exist at the provider, or was issued."""


def give_up(conn: sa.Connection, lease: Lease, *, because: str, renews: bool = False) -> None:
    """Move open | staged | approved | held → discarding, and void the approval.

    `renews`: `close_discarded` drafts the notes again. Raises `FenceLost`, `IllegalTransition`.
    """
    _step(conn, lease, was=check(conn, lease), becomes=BatchState.DISCARDING, because=because)
    approvals.void_approval(conn, lease.batch_id, because=because)
    _set(conn, lease.batch_id, renews=renews, due_at=clock(conn))


def batches_taken_back(conn: sa.Connection) -> set[int]:
    """Return the batches that a person is discarding: their charges may be billed again afterwards."""
    query = sa.select(_t.c.id).where(_t.c.state == str(BatchState.DISCARDING), ~_t.c.renews)
    return set(conn.execute(query).scalars())


def close_discarded(conn: sa.Connection, lease: Lease) -> list[int]:
    """Move discarding → discarded. If the batch `renews`, draft its notes again and return the ids of the drafts.

    The customers of the batch are read again before they are billed again, because the register's data of one of them
    may be the reason for the withdrawal.

    Raises:
        FenceLost: Another worker has the batch.
        Unsettled: A note of the batch is living: it may exist at the provider (`batch.unsettled`).
    """
    check(conn, lease)
    notes = sa.select(_invoices.c.id, _invoices.c.state).where(_invoices.c.batch_id == lease.batch_id)
    states = {row.id: InvoiceState(row.state) for row in conn.execute(notes)}
    living = sum(state in LIVING for state in states.values())
    if living:
        raise Unsettled(Problem("batch.unsettled", params={"batch": lease.batch_id, "count": living}))
    because = "no note of ours is left in it"
    _step(conn, lease, was=BatchState.DISCARDING, becomes=BatchState.DISCARDED, because=because)
    _set(conn, lease.batch_id, closed_at=clock(conn), recounted_at=clock(conn))
    parties.mark_takers_unread(conn, lease.batch_id)
    renews = conn.execute(sa.select(_t.c.renews).where(_t.c.id == lease.batch_id)).scalar_one()
    taken_back = [each for each, state in states.items() if state in {InvoiceState.DELETED, InvoiceState.RETIRED}]
    return invoices.redraft(conn, taken_back, because="issued under a new number") if renews else []


def split_off(conn: sa.Connection, lease: Lease) -> list[int]:
    """Draft again the invoices that were missing when somebody else sent their batch. Return the ids of the drafts.

    Missing are the invoices that were not posted yet, which become `retired`, and those that we deleted. An invoice
    that somebody else deleted is not drafted again. If a person was withdrawing the batch, no invoice is drafted again.
    The batch's count and total become those of its notes at the provider. Raises `FenceLost`.
    """
    because = "its batch was sent without it"
    unposted = _ids_in(conn, lease, InvoiceState.RESERVED)
    ids = move_under(
        conn, lease, unposted, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because=because
    ) + _ids_in(conn, lease, InvoiceState.DELETED, _IS_DELETED_BY_US)
    there = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(_invoices.c.service_cents), 0)).where(
        _invoices.c.batch_id == lease.batch_id,
        _invoices.c.remote_id.is_not(None),
        _invoices.c.state != str(InvoiceState.DELETED),
    )
    count, cents = conn.execute(there).one()
    _set(conn, lease.batch_id, count=count, total_cents=int(cents))
    return invoices.redraft(conn, ids, because=because) if _is_wanted(conn, lease.batch_id) else []


def _is_wanted(conn: sa.Connection, batch_id: int) -> bool:
    """Return whether the missing invoices must still be issued: always, unless a person withdrew the batch."""
    events = tables.events
    taken_back = sa.exists().where(
        is_about(Entity.BATCH, sa.literal(batch_id, sa.BigInteger)),
        events.c.becomes == str(BatchState.DISCARDING),
    )
    return bool(conn.execute(sa.select(sa.or_(_t.c.renews, ~taken_back)).where(_t.c.id == batch_id)).scalar_one())


def _ids_in(conn: sa.Connection, lease: Lease, state: InvoiceState, *more: sa.ColumnElement[bool]) -> list[int]:
    its = (_invoices.c.batch_id == lease.batch_id, _invoices.c.state == str(state), *more)
    return list(conn.execute(sa.select(_invoices.c.id).where(*its)).scalars())


def _step(conn: sa.Connection, lease: Lease, *, was: BatchState, becomes: BatchState, because: str) -> None:
    if not move_under(conn, lease, [lease.batch_id], was=was, becomes=becomes, because=because):
        raise FenceLost(Problem("batch.fence_lost", params={"batch": lease.batch_id}))


def _set(conn: sa.Connection, batch_id: int, **news: Any) -> None:
    conn.execute(sa.update(_t).where(_t.c.id == batch_id).values(**news))
