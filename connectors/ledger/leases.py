"""The leases of batches with their fences, and the error that stops a worker whose lease has ended.

A *fence* is a number that grows with every claim of a batch. A worker writes only under its fence: a worker that was
frozen, disconnected or replaced finds a newer fence and changes nothing. The database's clock measures a lease. The
worker computes its deadline from its own steady clock, read before the claim, so that the deadline never comes after
the lease's end.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from connectors.http.steady import steady_s
from connectors.ledger import tables, transitions
from connectors.ledger.database.sql import Statement, clock, has_come, is_in, now, param
from domain.problems import FaturistaError, Problem
from domain.states import BatchState, Entity, InvoiceState, State, entity_of

_t = tables.batches
_LONGEST_LEASE: Final = timedelta(hours=1)
_LONGEST_WAIT: Final = timedelta(days=1)
"""Longest time until a batch is due again. A due instant further ahead was stored before the clock was set back."""
_BEING_STAGED = frozenset({BatchState.OPENING, BatchState.OPEN})


class FenceLost(FaturistaError):
    """The worker no longer has the batch: the fence moved, the lease ended or was given back, or the state changed.

    Nothing was changed. Stop at once and never post the notes in memory.
    """


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one batch. It ends at `until` by the database's clock.

    `deadline` is the same end, or an earlier instant, in seconds of this machine's steady clock (`steady_s`).

    `settle_after` is the end of the last lease that was taken over instead of given back: its owner may have had
    requests in flight until then. No doubt may be settled before `settle_after` + request timeout + quiet time.
    """

    batch_id: int
    owner: str
    fence: int
    until: datetime
    deadline: float
    settle_after: datetime | None


def claim(
    conn: sa.Connection, batch_id: int, *, owner: str, seconds: float, states: Collection[BatchState]
) -> Lease | None:
    """Claim the batch for `seconds`. Return None if its state is not in `states` or somebody has a live lease.

    Notes that a previous owner left `posting` become `in_doubt`, with the old lease's end as the last instant at which
    a byte may have left. After a takeover, or a second claim of a batch in staging, the listed proof is required
    (`must_list`).
    """
    deadline = steady_s() + seconds
    held = _find_free(conn, batch=batch_id).one_or_none()
    at = now(conn)
    if held is None or held.state not in states:
        return None
    if held.lease_until is not None and at < held.lease_until <= at + _LONGEST_LEASE:
        return None
    until = at + timedelta(seconds=seconds)
    is_takeover = held.lease_until is not None
    # If the old lease ends far ahead, the clock was set back: its owner stops within one lease length from now.
    settle_after = held.lease_until if is_takeover else held.settle_after
    settle_after = None if settle_after is None else min(settle_after, until)
    is_restart = held.fence > 0 and held.state in _BEING_STAGED
    _take(
        conn,
        batch=batch_id,
        fence=held.fence + 1,
        lease_owner=owner,
        lease_until=until,
        claimed_at=at,
        settle_after=settle_after,
        must_list=held.must_list or is_takeover or is_restart,
    )
    lease = Lease(batch_id, owner, held.fence + 1, until, deadline, settle_after)
    _doubt_posting(conn, lease, last_byte_at=settle_after or at, because="left posting by the previous owner")
    return lease


@Statement
def _find_free(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).where(_t.c.id == param("batch")).with_for_update(skip_locked=True)


@Statement
def _take(_conn: sa.Connection) -> sa.Update:
    taken = ("fence", "lease_owner", "lease_until", "claimed_at", "settle_after", "must_list")
    return sa.update(_t).where(_t.c.id == param("batch")).values({name: param(name) for name in taken})


def renewal_statement(*only_where: sa.ColumnElement[bool]) -> Statement:
    """Return a statement for `renew` with more conditions on the batch."""

    def build(conn: sa.Connection) -> sa.Update:
        until = clock(conn, plus_s=param("seconds"))
        return (
            sa.update(_t)
            .where(*_live_conditions(conn), *only_where)
            .values(lease_until=sa.case((_t.c.lease_until > until, _t.c.lease_until), else_=until))
            .returning(_t.c.lease_until)
        )

    return Statement(build)


def renew(conn: sa.Connection, lease: Lease, *, seconds: float, by: Statement | None = None) -> Lease:
    """Return the same lease with an end in `seconds`, or later if it was. Raises `FenceLost`.

    `by`: a `renewal_statement` with more conditions.
    """
    deadline = steady_s() + seconds
    renewed = (by or _RENEWAL)(conn, **_held_by(lease), seconds=seconds).scalar_one_or_none()
    if renewed is None:
        raise _fence_lost(conn, lease)
    return replace(lease, until=renewed, deadline=max(lease.deadline, deadline))


def check(conn: sa.Connection, lease: Lease) -> BatchState:
    """Check the lease, lock the batch until the transaction ends, and return its state. Raises `FenceLost`."""
    return BatchState(_require_held(conn, lease).state)


def is_staged(conn: sa.Connection, lease: Lease) -> bool:
    """Return whether the batch's posted invoices wait for a send; else each post issues. Raises `FenceLost`."""
    return bool(_require_held(conn, lease).is_staged)


def note_answer(conn: sa.Connection, lease: Lease) -> tuple[str, bool]:
    """Store that the provider answered for the batch now. Return its issuer and `is_staged`. Raises `FenceLost`."""
    held = _touch_answer(conn, **_held_by(lease)).one_or_none()
    if held is None:
        raise _fence_lost(conn, lease)
    return held.issuer, held.is_staged


@Statement
def _touch_answer(conn: sa.Connection) -> sa.Update:
    return (
        sa.update(_t)
        .where(*_live_conditions(conn))
        .values(last_answer_at=clock(conn))
        .returning(_t.c.issuer, _t.c.is_staged)
    )


def _require_held(conn: sa.Connection, lease: Lease) -> sa.Row[Any]:
    held = _find_live(conn, **_held_by(lease)).one_or_none()
    if held is None:
        raise _fence_lost(conn, lease)
    return held


@Statement
def _find_live(conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t.c.state, _t.c.is_staged).where(*_live_conditions(conn)).with_for_update()


def give_back(conn: sa.Connection, lease: Lease) -> bool:
    """End the lease; notes still `posting` become `in_doubt`. Return False if this worker no longer has the batch."""
    if _end_lease(conn, **_held_by(lease)).rowcount != 1:
        return False
    if _doubt_posting(conn, lease, last_byte_at=None, because="given back while posting"):
        conn.execute(sa.update(_t).where(_t.c.id == lease.batch_id).values(must_list=True))
    return True


def evict(conn: sa.Connection, batch_id: int) -> None:
    """Take the batch from its worker, if it has one: the worker's next write raises `FenceLost`.

    Notes that are `posting` become `in_doubt`, with the lease's end as the last instant at which a byte may leave.
    """
    held = conn.execute(sa.select(_t).where(_t.c.id == batch_id).with_for_update()).one()
    if held.lease_owner is None:
        return
    lease = Lease(batch_id, held.lease_owner, held.fence + 1, held.lease_until, 0.0, held.lease_until)
    conn.execute(
        sa.update(_t)
        .where(_t.c.id == batch_id)
        .values(fence=lease.fence, lease_owner=None, lease_until=None, settle_after=held.lease_until, must_list=True)
    )
    _doubt_posting(conn, lease, last_byte_at=held.lease_until, because="taken away while posting")


def due_batches(
    conn: sa.Connection,
    states: Collection[BatchState],
    *,
    silent: Iterable[str] = (),
    among: Collection[int] | None = None,
    limit: int = 200,
) -> list[int]:
    """Return batches in one of `states` that are due and without a worker, oldest first.

    `silent` names issuers that must get no requests now; `among` limits the search to these batches.
    """
    at = now(conn)
    asked: dict[str, Any] = {
        "at": at,
        "latest_due_at": at + _LONGEST_WAIT,
        "latest_lease_end": at + _LONGEST_LEASE,
        "states": [str(state) for state in states],
        "silent": list(silent),
        "limit": limit,
    }
    found = _find_due(conn, **asked) if among is None else _find_due_among(conn, **asked, among=list(among))
    return list(found.scalars())


@Statement
def _find_due(conn: sa.Connection) -> sa.Select[Any]:
    return _select_due(conn)


@Statement
def _find_due_among(conn: sa.Connection) -> sa.Select[Any]:
    return _select_due(conn).where(is_in(conn, _t.c.id, param("among")))


def _select_due(conn: sa.Connection) -> sa.Select[Any]:
    at = param("at")
    is_due = has_come(_t.c.due_at, at, param("latest_due_at"))
    return (
        sa.select(_t.c.id)
        .where(is_in(conn, _t.c.state, param("states")), ~is_in(conn, _t.c.issuer, param("silent")))
        .where(is_due, _is_free(at, param("latest_lease_end")))
        .order_by(_t.c.due_at, _t.c.id)
        .limit(param("limit", sa.Integer))
    )


def is_free(at: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that no worker has a live lease on a batch. `at` is the present instant."""
    return _is_free(at, at + _LONGEST_LEASE)


def _is_free(at: sa.ColumnElement[Any] | datetime, latest: sa.ColumnElement[Any] | datetime) -> sa.ColumnElement[bool]:
    return sa.or_(_t.c.lease_until.is_(None), has_come(_t.c.lease_until, at, latest))


def is_due(due_at: sa.ColumnElement[datetime], at: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a due instant has come. `at` is the present instant."""
    return has_come(due_at, at, at + _LONGEST_WAIT)


def is_put_aside(at: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a `processed` batch is not due yet, because a station put it off.

    Only the stations of issued invoices (cancellations, replacements) still work on such a batch.
    """
    return sa.and_(_t.c.state == str(BatchState.PROCESSED), ~is_due(_t.c.due_at, at))


def move_under(
    conn: sa.Connection, lease: Lease, ids: Sequence[int], *, was: State, becomes: State, because: str
) -> list[int]:
    """Move as `transitions.move` does, for a worker with a lease. Raises `FenceLost` before any change.

    Invoices of other batches, and batches other than the lease's, stay unchanged.
    """
    check(conn, lease)
    own = OWN_BATCH if entity_of(was) is Entity.BATCH else OWN_NOTES
    return transitions.move(
        conn, ids, was=was, becomes=becomes, because=because, fence=lease.fence, change=own, batch=lease.batch_id
    )


@Statement
def _end_lease(_conn: sa.Connection) -> sa.Update:
    return sa.update(_t).where(*_IS_HELD).values(lease_owner=None, lease_until=None)


def _held_by(lease: Lease) -> dict[str, Any]:
    return {"batch": lease.batch_id, "fence": lease.fence, "owner": lease.owner}


def _live_conditions(conn: sa.Connection) -> list[sa.ColumnElement[bool]]:
    # Read the clock inside the statement: PostgreSQL reads it again after it waited for the row.
    return [*_IS_HELD, _t.c.lease_until > clock(conn)]


def _fence_lost(conn: sa.Connection, lease: Lease) -> FenceLost:
    found = conn.execute(sa.select(_t.c.state, _t.c.fence).where(_t.c.id == lease.batch_id)).one()
    params = {"batch": lease.batch_id, "ours": lease.fence, "theirs": found.fence, "state": found.state}
    return FenceLost(Problem("batch.fence_lost", params=params))


def _doubt_posting(conn: sa.Connection, lease: Lease, *, last_byte_at: datetime | None, because: str) -> list[int]:
    """Move every `posting` invoice of the batch to `in_doubt`: its worker may have sent it. Return the ids.

    `last_byte_at`: the last instant at which a byte may have left; None: now.
    """
    table = tables.invoices
    ids = list(_find_posting(conn, batch=lease.batch_id).scalars())
    if ids:
        conn.execute(
            sa.update(table)
            .where(is_in(conn, table.c.id, ids))
            .values(doubts=table.c.doubts + 1, last_byte_at=last_byte_at or now(conn), absent_at=None)
        )
    return transitions.move(
        conn, ids, was=InvoiceState.POSTING, becomes=InvoiceState.IN_DOUBT, because=because, fence=lease.fence
    )


@Statement
def _find_posting(_conn: sa.Connection) -> sa.Select[Any]:
    table = tables.invoices
    return sa.select(table.c.id).where(table.c.batch_id == param("batch"), table.c.state == str(InvoiceState.POSTING))


_IS_HELD: Final = (_t.c.id == param("batch"), _t.c.fence == param("fence"), _t.c.lease_owner == param("owner"))
_RENEWAL: Final = renewal_statement()
OWN_BATCH: Final = transitions.Change(_t, only_where=_t.c.id == param("batch"))
OWN_NOTES: Final = transitions.Change(tables.invoices, only_where=tables.invoices.c.batch_id == param("batch"))
"""The moves of a worker under its lease, limited to the notes of its batch. The caller passes `batch`."""
