"""Query counts by state, the age of due work, waiting approvals and rejections, for metrics and alerts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Instant, clock, now
from connectors.ledger.leases import is_free
from domain.states import BatchState, InvoiceState

_batches = tables.batches
_GOING_ON = (
    BatchState.PLANNED, BatchState.OPENING, BatchState.OPEN, BatchState.APPROVED, BatchState.HELD, BatchState.SENDING,
    BatchState.SCHEDULED, BatchState.PROCESSING, BatchState.DISCARDING,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Waiting:
    """The staged batches of one reading, which wait for an approval: their number and their sum in cents."""

    reading_id: int
    file_id: int
    batches: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class RejectedCount:
    """How many invoices of one batch the city rejected."""

    batch_id: int
    file_id: int
    count: int


def count_states(conn: sa.Connection) -> dict[str, dict[str, int]]:
    """Return how many rows, invoices and batches are in each state, by the table's name."""
    return {table.name: _by_state(conn, table) for table in (tables.rows, tables.invoices, _batches)}


def note_states(conn: sa.Connection) -> dict[InvoiceState, int]:
    """Return how many invoices are in each state."""
    return {InvoiceState(state): count for state, count in _by_state(conn, tables.invoices).items()}


def batch_states(conn: sa.Connection) -> dict[BatchState, int]:
    """Return how many batches are in each state."""
    return {BatchState(state): count for state, count in _by_state(conn, _batches).items()}


def _by_state(conn: sa.Connection, table: sa.Table) -> dict[str, int]:
    query = sa.select(table.c.state, sa.func.count()).group_by(table.c.state).order_by(table.c.state)
    return {str(row[0]): int(row[1]) for row in conn.execute(query)}


def due_since(conn: sa.Connection) -> datetime | None:
    """Return the due time of the most overdue batch without a worker, or None."""
    at = now(conn)
    query = sa.select(sa.func.min(_batches.c.due_at, type_=Instant)).where(
        _batches.c.state.in_([str(state) for state in _GOING_ON]), _batches.c.due_at <= at, is_free(at)
    )
    found: datetime | None = conn.execute(query).scalar_one()
    return found


def waiting_approval(conn: sa.Connection) -> list[Waiting]:
    """Return the batches that wait for approval, summed by reading, oldest first."""
    readings = tables.readings
    query = (
        sa.select(readings.c.id, readings.c.file_id, sa.func.count(), sa.func.sum(_batches.c.total_cents))
        .join(_batches, _batches.c.reading_id == readings.c.id)
        .where(_batches.c.state == str(BatchState.STAGED))
        .group_by(readings.c.id, readings.c.file_id)
        .order_by(readings.c.id)
    )
    return [Waiting(row[0], row[1], row[2], int(row[3])) for row in conn.execute(query)]


def rejected_since(conn: sa.Connection, *, days: int) -> list[RejectedCount]:
    """Count the rejected invoices of each batch that is open or was closed within the last `days` days."""
    notes, readings = tables.invoices, tables.readings
    is_recent = sa.or_(_batches.c.closed_at.is_(None), _batches.c.closed_at > clock(conn, plus_s=-days * 86_400.0))
    query: sa.Select[Any] = (
        sa.select(_batches.c.id, readings.c.file_id, sa.func.count())
        .join(readings, readings.c.id == _batches.c.reading_id)
        .join(notes, notes.c.batch_id == _batches.c.id)
        .where(is_recent, notes.c.state == str(InvoiceState.REJECTED))
        .group_by(_batches.c.id, readings.c.file_id)
        .order_by(_batches.c.id)
    )
    return [RejectedCount(*row) for row in conn.execute(query)]
