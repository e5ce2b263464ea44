"""Claim and return leases on batches together with the work that belongs to it, in one transaction each.

Most looks at a batch show nothing new, and their cost is the number of commits.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

import sqlalchemy as sa

from connectors.ledger import attempts, batches, leases, tables
from connectors.ledger.backup.restorations import quarantine_of
from connectors.ledger.batch_observations import observe_batch, schedule_look
from connectors.ledger.batches import BatchRecord
from connectors.ledger.database.sql import clock
from connectors.ledger.leases import FenceLost, Lease
from domain.problems import FaturistaError, Problem
from domain.states import BatchState


class Quarantined(FaturistaError):
    """A restored ledger is in quarantine: no writer may take a batch."""

    def __init__(self) -> None:
        super().__init__(Problem("ledger.quarantined"))


def take(
    conn: sa.Connection,
    batch_id: int,
    *,
    owner: str,
    seconds: float,
    states: Collection[BatchState],
    is_writer: bool = False,
) -> tuple[Lease, BatchRecord] | None:
    """Claim the batch. Return the lease and the batch, or None if it cannot be claimed (`leases.claim`).

    `is_writer`: the worker will post or send, so raise `Quarantined` while the ledger is in quarantine.
    """
    if is_writer and quarantine_of(conn) is not None:
        raise Quarantined
    lease = leases.claim(conn, batch_id, owner=owner, seconds=seconds, states=states)
    return None if lease is None else (lease, batches.batch_of(conn, batch_id))


def renew(conn: sa.Connection, lease: Lease, *, seconds: float) -> tuple[Lease, BatchRecord]:
    """Renew the lease, and return it with the present batch. Raises `FenceLost`."""
    return leases.renew(conn, lease, seconds=seconds), batches.batch_of(conn, lease.batch_id)


def begin_opening(conn: sa.Connection, lease: Lease, name: str) -> tuple[BatchRecord, int]:
    """Name the batch, and store the attempt to create it at the provider. Return both. Raises `FenceLost`."""
    return batches.name_opening(conn, lease, name), attempts.begin(conn, lease, "open")


def end_opening(conn: sa.Connection, lease: Lease, attempt: int, remote_id: int) -> BatchRecord | FenceLost:
    """Close the attempt that created the batch, and store the provider's id.

    If another worker has the batch by now, return `FenceLost` instead of raising it, so that the attempt's answer is
    committed all the same.
    """
    attempts.end(conn, attempt, "done", remote_id=remote_id)
    try:
        return batches.mark_opened(conn, lease, remote_id)
    except FenceLost as error:
        return error


def end_staging(conn: sa.Connection, lease: Lease, *, digest: str, proven_by: str, counters: Mapping[str, int]) -> None:
    """Mark the batch as staged and give the lease back. Raises the errors of `batches.mark_staged`."""
    batches.mark_staged(conn, lease, digest=digest, proven_by=proven_by, counters=counters)
    leases.give_back(conn, lease)


def held_until(conn: sa.Connection, batch_id: int) -> datetime | None:
    """Return the end of the live lease on the batch, or None when nobody has one."""
    table = tables.batches
    live = sa.select(table.c.lease_until).where(table.c.id == batch_id, table.c.lease_until > clock(conn))
    return conn.execute(live).scalar_one_or_none()


def postpone_batch(conn: sa.Connection, lease: Lease, *, seconds: float) -> bool:
    """Give the lease back and make the batch due again in this many seconds.

    Return False if this worker no longer has the batch: then its new owner decides when the batch is due.
    """
    if not leases.give_back(conn, lease):
        return False
    schedule_look(conn, lease.batch_id, seconds=seconds)
    return True


def end_look(
    conn: sa.Connection,
    lease: Lease,
    *,
    becomes: BatchState | None,
    counters: Mapping[str, int],
    look_s: float | None,
) -> bool:
    """Store the result of a look and give the lease back. Return whether the batch's state moved.

    The result counts even if another worker has the batch now. The parameters are those of `observe_batch`.
    """
    has_moved = observe_batch(conn, lease.batch_id, becomes=becomes, counters=counters, look_s=look_s)
    leases.give_back(conn, lease)
    return has_moved
