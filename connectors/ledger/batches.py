"""Batches: planned with their numbers, opened, staged, opened again, disturbed; when to look next; incidents."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger.claims import Lease
from domain.states import BatchState


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch as the ledger holds it. `count` and `total_cents` are of its living notes: the plan's until staged."""

    id: int
    reading_id: int
    emitter_id: int
    kind: str
    competence: date
    ordinal: int
    revision: int
    state: BatchState
    name: str | None
    remote_id: int | None
    emission_at: datetime | None
    count: int
    total_cents: int
    digest: str | None
    fence: int
    lease_owner: str | None
    lease_until: datetime | None
    settle_after: datetime | None
    must_list: bool
    proven_by: str | None
    due_at: datetime
    looks: int
    counters: dict[str, int] | None
    last_answer_at: datetime | None
    sent_at: datetime | None
    closed_at: datetime | None
    recounted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that is not as we left it, shown to a person until somebody closes it."""

    id: int
    batch_id: int | None
    invoice_id: int | None
    code: str
    params: dict[str, Any]
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str | None


def plan_batch(
    conn: sa.Connection,
    *,
    reading_id: int,
    emitter_id: int,
    competence: date,
    ordinal: int,
    invoice_ids: Sequence[int],
    serie: str,
    kind: str = "service",
) -> int | None:
    """Create a `planned` batch of those invoices that are still `drafted` and reserve their numbers, in this order.

    None when no draft is left (somebody was first). The serie must have been started (`numbers.start_serie`).
    """
    raise NotImplementedError


def name_opening(conn: sa.Connection, lease: Lease, name: str) -> BatchRecord:
    """planned → opening: the name, nonce included, is written before the request that creates the batch; so is the
    emission instant (the database's clock) if this revision has none. Raises `FenceLost`."""
    raise NotImplementedError


def opened(conn: sa.Connection, lease: Lease, remote_id: int) -> None:
    """opening → open with the provider's id. Raises `FenceLost`."""
    raise NotImplementedError


def orphan(conn: sa.Connection, lease: Lease, remote_id: int | None = None) -> None:
    """opening → planned: the batch by the present name was not found, or cannot be used; the name is listed as an
    orphan and another must be chosen. Raises `FenceLost`."""
    raise NotImplementedError


def mark_staged(
    conn: sa.Connection, lease: Lease, *, digest: str, proven_by: str, counters: Mapping[str, int]
) -> BatchRecord:
    """open → staged. Count and total are those of the `created` invoices; anything unsettled, or nothing created,
    raises `FaturistaError`. `proven_by` is "counted" or "listed". Raises `FenceLost`."""
    raise NotImplementedError


def reopen(conn: sa.Connection, lease: Lease, *, because: str) -> int:
    """staged | approved | held → open: next revision, approval void, digest and emission instant forgotten. Returns
    the revision. Raises `FenceLost`, `IllegalMove`."""
    raise NotImplementedError


def renumber(conn: sa.Connection, lease: Lease, invoice_ids: Sequence[int], serie: str) -> list[int]:
    """For dead invoices of this open batch: a new invoice each, same row and content, next numbers of the serie.
    Returns the new ids, `reserved`. Raises `FenceLost`."""
    raise NotImplementedError


def disturb(
    conn: sa.Connection, batch_id: int, *, code: str, params: Mapping[str, str | int], lease: Lease | None = None
) -> bool:
    """Stop work on the batch and open an incident. Without the lease the fence moves, so that whoever works on it
    stops. False when the batch's state cannot be disturbed any more; the incident is opened all the same."""
    raise NotImplementedError


def decide(conn: sa.Connection, batch_id: int, *, becomes: BatchState, person: str, because: str) -> None:
    """A person's answer to a disturbed batch: open (new revision), discarding or scheduled. Closes its incidents."""
    raise NotImplementedError


def sent(conn: sa.Connection, lease: Lease, *, counters: Mapping[str, int], is_ours: bool = True) -> None:
    """sending → scheduled. `is_ours` False: it was looked up, somebody may have sent it. Raises `FenceLost`."""
    raise NotImplementedError


def observe_batch(
    conn: sa.Connection, batch_id: int, *, becomes: BatchState | None, counters: Mapping[str, int], look_s: float | None
) -> bool:
    """What one GET of a sent batch shows: state forward, counters, next look in `look_s` seconds (None: no more).
    Returns whether the state moved."""
    raise NotImplementedError


def schedule_look(conn: sa.Connection, batch_id: int, *, seconds: float) -> None:
    """The batch is due again in so many seconds; counts the look."""
    raise NotImplementedError


def recounted(conn: sa.Connection, batch_id: int, counters: Mapping[str, int]) -> None:
    """A closed batch was counted again just now."""
    raise NotImplementedError


def to_recount(conn: sa.Connection, *, days: int, limit: int = 200) -> list[int]:
    """Batches processed within so many days that were not counted for a day."""
    raise NotImplementedError


def batch_of(conn: sa.Connection, batch_id: int) -> BatchRecord:
    """One batch. Raises `FaturistaError` (`batch.unknown`)."""
    raise NotImplementedError


def batches_where(
    conn: sa.Connection, *, states: Collection[BatchState] | None = None, reading_id: int | None = None
) -> list[BatchRecord]:
    """Batches by state and reading, oldest first."""
    raise NotImplementedError


def open_incident(
    conn: sa.Connection,
    *,
    code: str,
    params: Mapping[str, str | int],
    batch_id: int | None = None,
    invoice_id: int | None = None,
) -> int:
    """Something for a person to see. The same open incident is not opened twice; returns its id."""
    raise NotImplementedError


def incidents_open(conn: sa.Connection, batch_id: int | None = None) -> list[Incident]:
    """Incidents that nobody closed, oldest first."""
    raise NotImplementedError


def orphans_of(conn: sa.Connection, batch_id: int | None = None) -> list[tuple[int, str, int | None]]:
    """Empty batches that may stand at the provider: (batch, name, id at the provider if known)."""
    raise NotImplementedError
