"""Who works on a batch: leases with fences, and the error that stops a worker whose lease is over.

A *fence* is a number that grows with every claim of a batch. Whatever a worker writes, it writes under its fence: a
worker that was frozen and thawed, or cut off and taken over, finds its fence moved and changes nothing. Lease time is
the database's clock; on the worker's side it is a deadline on the monotonic clock, read before the database was asked,
so that it never ends later than the lease.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from domain.problems import FaturistaError
from domain.states import BatchState, State


class FenceLost(FaturistaError):
    """The batch is no longer ours: the fence moved, the lease ran out or was given back, or the state is another.

    Nothing was changed. Stop at once: what is still held is never posted.
    """


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one batch until `until` (database clock) or `deadline` (our monotonic clock).

    `settle_after` is the end of the last lease that was taken over instead of given back: its owner may have had
    requests in flight until then. Before `settle_after` + request timeout + quiet time no doubt may be settled.
    """

    batch_id: int
    owner: str
    fence: int
    until: datetime
    deadline: float
    settle_after: datetime | None


def now(conn: sa.Connection) -> datetime:
    """The database's clock at this moment, aware, UTC; not the instant at which the transaction began."""
    raise NotImplementedError


def claim(
    conn: sa.Connection, batch_id: int, *, owner: str, seconds: float, states: Collection[BatchState]
) -> Lease | None:
    """Take the batch if it is in one of `states` and nobody holds a live lease; otherwise None.

    Notes that a previous owner left `posting` become `in_doubt` here, with the old lease's end as the last instant at
    which a byte may have left. A takeover, or a second claim of a batch that was being staged, asks for the listed
    proof (`must_list`).
    """
    raise NotImplementedError


def renew(conn: sa.Connection, lease: Lease, *, seconds: float) -> Lease:
    """The same lease, longer. Raises `FenceLost`."""
    raise NotImplementedError


def check(conn: sa.Connection, lease: Lease) -> BatchState:
    """The batch's state, with its row locked until the transaction ends. Raises `FenceLost`."""
    raise NotImplementedError


def give_back(conn: sa.Connection, lease: Lease) -> bool:
    """End the lease. False when it was no longer ours, which is fine. Notes still `posting` become `in_doubt`."""
    raise NotImplementedError


def due_batches(conn: sa.Connection, states: Collection[BatchState], *, limit: int = 200) -> list[int]:
    """Batches in one of `states` whose `due_at` has passed and that nobody works on, oldest first."""
    raise NotImplementedError


def move_under(
    conn: sa.Connection, lease: Lease, ids: Sequence[int], *, was: State, becomes: State, because: str
) -> list[int]:
    """`moves.move` for a fenced worker: raises `FenceLost` before anything is changed. Invoices of other batches and
    other batches than the lease's are left alone."""
    raise NotImplementedError
