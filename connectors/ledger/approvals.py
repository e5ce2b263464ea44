"""Approvals: a person's consent to send one revision and digest of a batch. A change of the content voids it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables, transitions
from connectors.ledger.database.sql import Statement, clock, param
from connectors.ledger.leases import Lease, check, move_under
from domain.competence import BRASILIA
from domain.problems import FaturistaError, Problem
from domain.states import BatchState

_t = tables.approvals
_batch = tables.batches

_OF_APPROVAL: Final = (*_t.c[:8], _t.c.acknowledgements, _t.c.staff_id)

IS_APPROVED: Final = sa.exists().where(
    _t.c.batch_id == _batch.c.id,
    _t.c.revision == _batch.c.revision,
    _t.c.digest == _batch.c.digest,
    _t.c["count"] == _batch.c["count"],
    _t.c.total_cents == _batch.c.total_cents,
    _t.c.void_at.is_(None),
)
"""Condition on a batch: it has an approval of its present content that is not void."""


class NotApprovable(FaturistaError):
    """The batch is not staged, or not with this revision, digest, count and total any more: review it again."""


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval that is not void.

    `acknowledgements` are the ids of the acknowledged findings that it relies on. `staff_id` is the approver's id in
    the staff list; None if nobody is enrolled or the approval is automatic.
    """

    id: int
    batch_id: int
    revision: int
    digest: str
    count: int
    total_cents: int
    approver: str
    approved_at: datetime
    acknowledgements: Sequence[int]
    staff_id: int | None


def approve(
    conn: sa.Connection,
    batch_id: int,
    *,
    revision: int,
    digest: str,
    count: int,
    total_cents: int,
    approver: str,
    acknowledgements: Sequence[int] = (),
    staff_id: int | None = None,
) -> Approval:
    """Store an approval of exactly this content, and move the batch staged → approved.

    Raises `NotApprovable` if the batch has another state or content by now.

    `acknowledgements` are the ids of the findings about the batch's month that the approver acknowledged.
    """
    this: dict[str, Any] = {
        "batch": batch_id,
        "revision": revision,
        "digest": digest,
        "count": count,
        "total_cents": total_cents,
    }
    who = {"approver": approver, "staff": staff_id}
    approval = _bind(conn, **this, **who, acknowledged=list(acknowledgements)).one_or_none()
    moved = transitions.move(
        conn,
        [batch_id],
        was=BatchState.STAGED,
        becomes=BatchState.APPROVED,
        because=f"approved by {approver}",
        change=_APPROVED,
        **this,
    )
    if approval is None:
        earlier = valid_approval(conn, batch_id)
        is_same = earlier is not None and (earlier.revision, earlier.digest) == (revision, digest)
        raise NotApprovable(approved_before(earlier) if earlier is not None and is_same else _changed(batch_id))
    if not moved:
        raise NotApprovable(_changed(batch_id))
    return Approval(*approval)


def approved_before(earlier: Approval) -> Problem:
    """Return the problem of a batch that somebody has approved meanwhile."""
    at = earlier.approved_at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    return Problem("batch.approved_before", params={"batch": earlier.batch_id, "person": earlier.approver, "at": at})


def _changed(batch_id: int) -> Problem:
    return Problem("batch.changed", params={"batch": batch_id})


def void_approval(conn: sa.Connection, batch_id: int, *, because: str) -> bool:
    """Void the batch's valid approval. Return whether there was one. The caller changes the batch's state."""
    change = sa.update(_t).where(_t.c.batch_id == batch_id, _t.c.void_at.is_(None))
    return conn.execute(change.values(void_at=clock(conn), void_because=because)).rowcount > 0


def valid_approval(conn: sa.Connection, batch_id: int) -> Approval | None:
    """Return the batch's approval that is not void, or None."""
    query = sa.select(*_OF_APPROVAL).where(_t.c.batch_id == batch_id, _t.c.void_at.is_(None))
    found = conn.execute(query).one_or_none()
    return None if found is None else Approval(*found)


def begin_sending(conn: sa.Connection, lease: Lease, *, by: str = "") -> Approval | None:
    """Move approved → sending, in one compare-and-set with fence, revision, digest and approval.

    `by`: the machine's user that sends, for the journal.
    Return the approval, or None if the batch is not `approved` or its present content has no valid approval. Raises
    `FenceLost`.
    """
    check(conn, lease)
    moved = transitions.move(
        conn,
        [lease.batch_id],
        was=BatchState.APPROVED,
        becomes=BatchState.SENDING,
        because=f"about to send by {by}" if by else "about to send",
        fence=lease.fence,
        change=_BEING_SENT,
        own_fence=lease.fence,
    )
    return valid_approval(conn, lease.batch_id) if moved else None


def revert_sending(conn: sa.Connection, lease: Lease) -> bool:
    """Move sending → approved, because a look showed that the batch was not sent.

    Return False if the batch was not `sending`. Raises `FenceLost`.
    """
    because = "looked up: not sent"
    return bool(
        move_under(conn, lease, [lease.batch_id], was=BatchState.SENDING, becomes=BatchState.APPROVED, because=because)
    )


@Statement
def _bind(conn: sa.Connection) -> sa.Insert:
    content = sa.select(
        _batch.c.id,
        *(_batch.c[name] for name in _BOUND),
        param("approver", sa.Text),
        clock(conn),
        param("acknowledged", sa.JSON),
        param("staff", sa.BigInteger),
    ).where(_IS_THIS)
    columns = ["batch_id", *_BOUND, "approver", "approved_at", "acknowledgements", "staff_id"]
    return sa.insert(_t).from_select(columns, content.with_for_update()).returning(*_OF_APPROVAL)


_BOUND: Final = ("revision", "digest", "count", "total_cents")
_IS_THIS: Final = sa.and_(
    _batch.c.id == param("batch"),
    _batch.c.state == str(BatchState.STAGED),
    *(_batch.c[name] == param(name) for name in _BOUND),
)
_APPROVED: Final = transitions.Change(_batch, only_where=_IS_THIS)
_BEING_SENT: Final = transitions.Change(_batch, only_where=sa.and_(_batch.c.fence == param("own_fence"), IS_APPROVED))
