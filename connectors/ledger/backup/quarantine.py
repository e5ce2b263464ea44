"""The quarantine of a restored ledger: nothing is posted or sent before a comparison with the provider.

Database triggers enforce it (`batches_quarantined`, `invoices_quarantined`); this module explains it in words and ends
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import approvals, batches, claims, moves, tables
from connectors.ledger.database.sql import Statement, clock, is_in
from connectors.ledger.journal import is_about
from connectors.ledger.numbers import mark_posted
from domain.problems import FaturistaError, Problem
from domain.states import BatchState, Entity, InvoiceState

OWNER: Final = "restored"
BILLED: Final = "batch.billed_before_loss"
"""The incident of a batch whose rows may have been billed in another batch after the copy."""
CHARGE: Final = "charge"
"""In a finding about a note: the key of its charge (`domain.keys.charge_key`, `domain.products.keys.sale_key`)."""
FOUND: Final = "restore.batch_found"
"""The finding of our `batch` that was opened after the copy, with its `name` and its id at the provider, `remote`."""

_NOTE_THERE: Final = frozenset({"note", "invoice"})
"""The parameter of a finding about a note that holds the provider's id of the note."""

_t = tables.restorations
_UNOPENED: Final = (BatchState.PLANNED, BatchState.OPENING)
_MAYBE_ISSUED: Final = "restored from a copy: it may have been issued since"


@dataclass(frozen=True, slots=True)
class Restoration:
    """A restored copy. `findings`: unexplained differences from the provider at the last comparison (`checked_at`)."""

    id: int
    sha256: str
    taken_at: datetime
    restored_at: datetime
    restored_by: str
    checked_at: datetime | None
    findings: tuple[Problem, ...]
    freed_at: datetime | None
    freed_by: str | None
    freed_because: str | None


def quarantine_of(conn: sa.Connection) -> Restoration | None:
    """Return the newest restoration that is still in quarantine, or None."""
    found = _find_waiting(conn).one_or_none()
    return None if found is None else _restoration(found)


@Statement
def _find_waiting(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).where(_t.c.freed_at.is_(None)).order_by(_t.c.id.desc()).limit(1)


def restorations(conn: sa.Connection) -> list[Restoration]:
    """Return all restorations, oldest first."""
    return [_restoration(row) for row in _find_all(conn)]


@Statement
def _find_all(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).order_by(_t.c.id)


def lost_charges(conn: sa.Connection) -> dict[str, tuple[str, int]]:
    """Return serie and number of each provider's invoice whose row was lost with the ledger, by business key."""
    findings = (each for restoration in restorations(conn) for each in restoration.findings)
    return {
        str(each.params[CHARGE]): (str(each.params["serie"]), int(each.params["number"]))
        for each in findings
        if CHARGE in each.params
    }


def lost_numbers(conn: sa.Connection, emitter_id: int, serie: str) -> frozenset[int]:
    """Return the numbers of provider's invoices whose rows were lost with the ledger."""
    findings = (each.params for restoration in restorations(conn) for each in restoration.findings)
    return frozenset(
        int(params["number"])
        for params in findings
        if (params.get("emitter"), params.get("serie")) == (emitter_id, serie) and _NOTE_THERE & params.keys()
    )


def undecided_charges(conn: sa.Connection, batch_id: int) -> dict[str, tuple[str, int]]:
    """Return `lost_charges`, or nothing if a person decided about `BILLED` of this batch after the restoration."""
    lost = lost_charges(conn)
    if not lost:
        return {}
    incidents, newest = tables.incidents, restorations(conn)[-1]
    decided = sa.select(incidents.c.id).where(
        incidents.c.batch_id == batch_id, incidents.c.code == BILLED, incidents.c.closed_at >= newest.restored_at
    )
    return lost if conn.execute(decided.limit(1)).first() is None else {}


def note_findings(conn: sa.Connection, findings: Sequence[Problem]) -> None:
    """Store the findings of the comparison with the provider."""
    _change(conn, checked_at=clock(conn), findings=[finding.to_json() for finding in findings])


def free(conn: sa.Connection, *, by: str, because: str) -> bool:
    """Release the ledger and adopt the batches that were found. Return False when it was not in quarantine."""
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
    """Move planned | opening → open: the batch was opened at the provider under this name after the copy.

    Its notes may exist there: all of them become in doubt and are looked up. Call it only when the ledger is free.
    Raises `FaturistaError` (`batch.busy`) when somebody works on the batch, or its state is another by now.
    """
    lease = claims.claim(conn, batch_id, owner=OWNER, seconds=60, states=_UNOPENED)
    if lease is None:
        raise FaturistaError(Problem("batch.busy", params={"batch": batch_id}))
    if batches.batch_of(conn, batch_id).state is BatchState.OPENING:
        batches.orphan(conn, lease)
    batches.name_opening(conn, lease, name)
    batches.opened(conn, lease, remote_id)
    doubt_unposted(conn, batch_id)
    claims.give_back(conn, lease)
    conn.execute(sa.update(tables.batches).where(tables.batches.c.id == batch_id).values(must_list=True))


def mark_planned(conn: sa.Connection, batch_id: int) -> None:
    """Move planned → opening, for an issuer without staging. The journal keeps that the copy had it as planned."""
    lease = claims.claim(conn, batch_id, owner=OWNER, seconds=60, states={BatchState.PLANNED})
    assert lease is not None
    claims.move_under(
        conn, lease, [batch_id], was=BatchState.PLANNED, becomes=BatchState.OPENING, because=_MAYBE_ISSUED
    )
    claims.give_back(conn, lease)


def begin_issuing(conn: sa.Connection, lease: claims.Lease) -> approvals.Approval | None:
    """Start sending like `approvals.begin_sending`, for an issuer without staging.

    If the copy had the batch as planned, its unposted invoices become in doubt: they may have been approved and issued
    after the copy, so they are looked up before they are posted.
    """
    approval = approvals.begin_sending(conn, lease)
    events = tables.events
    marked = sa.select(events.c.id).where(
        is_about(Entity.BATCH, sa.literal(lease.batch_id, sa.BigInteger)), events.c.because == _MAYBE_ISSUED
    )
    if approval is not None and conn.execute(marked.limit(1)).first() is not None:
        doubt_unposted(conn, lease.batch_id, only_new=True)
    return approval


def doubt_unposted(conn: sa.Connection, batch_id: int, *, only_new: bool = False) -> None:
    """Put every invoice that waits to be posted in doubt, as if it had just been posted without an answer.

    `only_new`: only invoices of which, as far as this ledger knows, no byte was ever sent.
    """
    notes, events = tables.invoices, tables.events
    waiting = sa.select(notes.c.id).where(notes.c.batch_id == batch_id, notes.c.state == str(InvoiceState.RESERVED))
    if only_new:
        posting = sa.and_(is_about(Entity.INVOICE, notes.c.id), events.c.becomes == str(InvoiceState.POSTING))
        waiting = waiting.where(~sa.exists().where(posting))
    ids = list(conn.execute(waiting.order_by(notes.c.id)).scalars())
    if not ids:
        return
    mark_posted(conn, ids)
    for was, becomes in ((InvoiceState.RESERVED, InvoiceState.POSTING), (InvoiceState.POSTING, InvoiceState.IN_DOUBT)):
        moves.move(conn, ids, was=was, becomes=becomes, because="restored from a copy: it may have been posted since")
    doubted = {"doubts": notes.c.doubts + 1, "last_byte_at": clock(conn), "absent_at": None}
    conn.execute(sa.update(notes).where(is_in(conn, notes.c.id, ids)).values(**doubted))


def _change(conn: sa.Connection, **news: Any) -> bool:
    return conn.execute(sa.update(_t).where(_t.c.freed_at.is_(None)).values(**news)).rowcount > 0


def _restoration(row: sa.Row[Any]) -> Restoration:
    values = row._asdict() | {"findings": tuple(Problem.from_json(each) for each in row.findings)}
    return Restoration(**values)
