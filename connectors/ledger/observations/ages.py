"""Query how long batches have been in progress, to alert people when they take too long."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.journal import is_about
from connectors.ledger.observations.doubts import suspended_batches
from domain.states import LIVING, BatchState, Entity, InvoiceState

_t = tables.batches
_IN_TURN: Final = (BatchState.PLANNED, BatchState.APPROVED)
_UNDER_WAY: Final = (
    *_IN_TURN,
    BatchState.OPENING,
    BatchState.OPEN,
    BatchState.SENDING,
    BatchState.SCHEDULED,
    BatchState.PROCESSING,
    BatchState.DISCARDING,
)
_UNENDED: Final = LIVING - {InvoiceState.ACCEPTED, InvoiceState.CANCELLING, InvoiceState.REPLACED}
"""States of invoices that are still without their document number."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A batch that has not reached an end state and does not wait for a person.

    `since` depends on the state: when the batch was planned (planned, opening), approved (approved, sending) or sent
    (scheduled, processing), else when it entered its state. A retry does not reset it.
    """

    batch_id: int
    state: BatchState
    since: datetime

    @property
    def is_in_turn(self) -> bool:
        """Return whether the batch only waits for a free worker."""
        return self.state in _IN_TURN


def batches_under_way(conn: sa.Connection) -> list[UnderWay]:
    """Return all batches in progress, oldest first."""
    events, approvals = tables.events, tables.approvals
    its_events = is_about(Entity.BATCH, _t.c.id)
    first, came = (
        sa.select(pick(events.c.at)).where(its_events).scalar_subquery() for pick in (sa.func.min, sa.func.max)
    )
    valid = sa.and_(approvals.c.batch_id == _t.c.id, approvals.c.void_at.is_(None))
    approved = sa.select(sa.func.max(approvals.c.approved_at)).where(valid).scalar_subquery()
    age = sa.case(
        (_is_any(BatchState.PLANNED, BatchState.OPENING), first),
        (_is_any(BatchState.APPROVED, BatchState.SENDING), sa.func.coalesce(approved, came)),
        (_is_any(BatchState.SCHEDULED, BatchState.PROCESSING), sa.func.coalesce(_t.c.sent_at, came)),
        else_=came,
    )
    since = sa.type_coerce(age, _t.c.due_at.type)
    query = sa.select(_t.c.id, _t.c.state, since.label("since")).where(_is_any(*_UNDER_WAY))
    found = [UnderWay(row.id, BatchState(row.state), row.since) for row in conn.execute(query)]
    suspended = suspended_batches(conn)
    found = [each for each in found if each.batch_id not in suspended]
    return sorted(found, key=lambda each: (each.since, each.batch_id))


def _is_any(*states: BatchState) -> sa.ColumnElement[bool]:
    return _t.c.state.in_([str(state) for state in states])


def unended_numbers(conn: sa.Connection, batch_id: int) -> list[tuple[str, int]]:
    """Return serie and number of the batch's invoices that are still without their document number, ascending."""
    notes = tables.invoices
    query = (
        sa.select(notes.c.serie, notes.c.number)
        .where(notes.c.batch_id == batch_id, notes.c.number.is_not(None))
        .where(notes.c.state.in_([str(state) for state in _UNENDED]))
        .order_by(notes.c.serie, notes.c.number)
    )
    return [(row.serie, row.number) for row in conn.execute(query)]
