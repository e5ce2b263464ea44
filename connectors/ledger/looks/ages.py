"""Batches that are under way, and since when: what escalates when it takes long."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from domain.states import BatchState, Entity, InvoiceState

_t = tables.batches
_UNDER_WAY: Final = (
    BatchState.OPENING,
    BatchState.OPEN,
    BatchState.SENDING,
    BatchState.SCHEDULED,
    BatchState.PROCESSING,
    BatchState.DISCARDING,
)
_ENDED: Final = (InvoiceState.ACCEPTED, InvoiceState.REJECTED, InvoiceState.CANCELLED, InvoiceState.DELETED)


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A batch that is not at its end and waits for no person; `since` it was sent, or came into its state."""

    batch_id: int
    state: BatchState
    since: datetime


def batches_under_way(conn: sa.Connection) -> list[UnderWay]:
    """All of them, the oldest first."""
    events = tables.events
    came = (
        sa.select(sa.func.max(events.c.at))
        .where(events.c.entity == str(Entity.BATCH), events.c.entity_id == _t.c.id)
        .scalar_subquery()
    )
    # after sending, the moves from one state to the next are no beginning
    is_sent = _t.c.state.in_([str(BatchState.SCHEDULED), str(BatchState.PROCESSING)])
    since = sa.type_coerce(sa.case((is_sent, sa.func.coalesce(_t.c.sent_at, came)), else_=came), _t.c.due_at.type)
    query = sa.select(_t.c.id, _t.c.state, since.label("since")).where(_t.c.state.in_([str(s) for s in _UNDER_WAY]))
    found = [UnderWay(row.id, BatchState(row.state), row.since) for row in conn.execute(query)]
    return sorted(found, key=lambda each: (each.since, each.batch_id))


def unended_numbers(conn: sa.Connection, batch_id: int) -> list[tuple[str, int]]:
    """Serie and number of the batch's invoices that are not at their end, ascending."""
    notes = tables.invoices
    query = (
        sa.select(notes.c.serie, notes.c.number)
        .where(notes.c.batch_id == batch_id, notes.c.number.is_not(None))
        .where(notes.c.state.not_in([str(state) for state in _ENDED]))
        .order_by(notes.c.serie, notes.c.number)
    )
    return [(row.serie, row.number) for row in conn.execute(query)]
