"""The quarantine of a restored ledger: nothing is posted or sent before a comparison with the provider.

Database triggers enforce it (`batches_quarantined`, `invoices_quarantined`). This module stores the comparison's
findings, ends the quarantine, and puts in doubt what may have been issued after the copy.
"""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import approvals, batches, leases, tables, transitions
from connectors.ledger.backup.restorations import quarantine_of
from connectors.ledger.database.sql import clock, is_in
from connectors.ledger.journal import is_about
from connectors.ledger.numbers import mark_posted
from domain.problems import FaturistaError, Problem
from domain.states import BatchState, Entity, InvoiceState

OWNER: Final = "restored"
FOUND: Final = "restore.batch_found"
"""Code of a finding: our `batch` was opened at the provider after the copy, as `name` and with the id `remote`."""

_t = tables.restorations
_UNOPENED: Final = (BatchState.PLANNED, BatchState.OPENING)
_MAYBE_ISSUED: Final = "restored from a copy: it may have been issued since"


def store_findings(conn: sa.Connection, findings: Sequence[Problem]) -> None:
    """Store the findings of the latest comparison with the provider, and its instant."""
    _change(conn, checked_at=clock(conn), findings=[finding.to_json() for finding in findings])


def free(conn: sa.Connection, *, by: str, because: str) -> bool:
    """End the quarantine and adopt the batches that it found. Return False if the ledger was not in quarantine."""
    waiting = quarantine_of(conn)
    if waiting is None:
        return False
    _change(conn, freed_at=clock(conn), freed_by=by, freed_because=because)
    for each in waiting.findings:
        if each.code == FOUND:
            params = each.params
            adopt_batch(conn, int(params["batch"]), name=str(params["name"]), remote_id=int(params["remote"]))
    return True


def adopt_batch(conn: sa.Connection, batch_id: int, *, name: str, remote_id: int) -> None:
    """Move planned | opening → open a batch that was opened at the provider after the copy.

    Its notes may exist there: each `reserved` one becomes `in_doubt` and is looked up. Call it after the quarantine.
    Raises `FaturistaError` (`batch.busy`) if a worker has the batch, or if the batch has another state by now.
    """
    lease = leases.claim(conn, batch_id, owner=OWNER, seconds=60, states=_UNOPENED)
    if lease is None:
        raise FaturistaError(Problem("batch.busy", params={"batch": batch_id}))
    if batches.batch_of(conn, batch_id).state is BatchState.OPENING:
        batches.replan_batch(conn, lease)
    batches.name_opening(conn, lease, name)
    batches.mark_opened(conn, lease, remote_id)
    doubt_unposted(conn, batch_id)
    leases.give_back(conn, lease)
    conn.execute(sa.update(tables.batches).where(tables.batches.c.id == batch_id).values(must_list=True))


def mark_maybe_issued(conn: sa.Connection, batch_id: int) -> None:
    """Move planned → opening a restored batch of an issuer without staging.

    The journal's reason marks the batch for `begin_issuing`: its invoices may have been issued after the copy.
    """
    lease = leases.claim(conn, batch_id, owner=OWNER, seconds=60, states={BatchState.PLANNED})
    assert lease is not None
    leases.move_under(
        conn, lease, [batch_id], was=BatchState.PLANNED, becomes=BatchState.OPENING, because=_MAYBE_ISSUED
    )
    leases.give_back(conn, lease)


def begin_issuing(conn: sa.Connection, lease: leases.Lease) -> approvals.Approval | None:
    """Start sending like `approvals.begin_sending`, for an issuer without staging.

    If `mark_maybe_issued` marked the batch, its invoices without a post become `in_doubt`: they may have been approved
    and issued after the copy, so they are looked up before they are posted.
    """
    approval = approvals.begin_sending(conn, lease)
    events = tables.events
    marked = sa.select(events.c.id).where(
        is_about(Entity.BATCH, sa.literal(lease.batch_id, sa.BigInteger)), events.c.because == _MAYBE_ISSUED
    )
    if approval is not None and conn.execute(marked.limit(1)).first() is not None:
        doubt_unposted(conn, lease.batch_id, only_never_posted=True)
    return approval


def doubt_unposted(conn: sa.Connection, batch_id: int, *, only_never_posted: bool = False) -> None:
    """Move every `reserved` invoice of a batch to `in_doubt`: it may have been posted after the copy was taken.

    `only_never_posted` leaves out invoices with a post in this ledger's journal.
    """
    notes, events = tables.invoices, tables.events
    waiting = sa.select(notes.c.id).where(notes.c.batch_id == batch_id, notes.c.state == str(InvoiceState.RESERVED))
    if only_never_posted:
        posting = sa.and_(is_about(Entity.INVOICE, notes.c.id), events.c.becomes == str(InvoiceState.POSTING))
        waiting = waiting.where(~sa.exists().where(posting))
    ids = list(conn.execute(waiting.order_by(notes.c.id)).scalars())
    if not ids:
        return
    mark_posted(conn, ids)
    for was, becomes in ((InvoiceState.RESERVED, InvoiceState.POSTING), (InvoiceState.POSTING, InvoiceState.IN_DOUBT)):
        transitions.move(
            conn, ids, was=was, becomes=becomes, because="restored from a copy: it may have been posted since"
        )
    doubted = {"doubts": notes.c.doubts + 1, "last_byte_at": clock(conn), "absent_at": None}
    conn.execute(sa.update(notes).where(is_in(conn, notes.c.id, ids)).values(**doubted))


def _change(conn: sa.Connection, **news: Any) -> bool:
    return conn.execute(sa.update(_t).where(_t.c.freed_at.is_(None)).values(**news)).rowcount > 0
