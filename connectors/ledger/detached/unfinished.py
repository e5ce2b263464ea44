"""Find the oldest unfinished work: its events and all later ones must stay in the tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.closings import ENDED_BATCHES, ENDED_INVOICES
from connectors.ledger.journal import is_about
from domain.states import Entity, RowState

_events, _rows, _batches, _invoices = tables.events, tables.rows, tables.batches, tables.invoices
_UNFINISHED: Final[Mapping[Entity, tuple[sa.Table, sa.ColumnElement[bool]]]] = {
    Entity.ROW: (_rows, _rows.c.state.in_([str(RowState.READ), str(RowState.RESOLVED)])),
    Entity.BATCH: (_batches, _batches.c.state.not_in(ENDED_BATCHES)),
    Entity.INVOICE: (_invoices, _invoices.c.state.not_in(ENDED_INVOICES)),
}
_BATCH_OF: Final[Mapping[Entity, sa.ColumnElement[Any]]] = {
    Entity.ROW: sa.null(),
    Entity.BATCH: _batches.c.id,
    Entity.INVOICE: _invoices.c.batch_id,
}


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The unfinished row, batch or invoice with the oldest event: that event, its batch if any, and its file's name."""

    event: int
    at: datetime
    batch_id: int | None
    file: str


def first_unfinished_event(conn: sa.Connection) -> int | None:
    """Return the id of the first event about unfinished work (`_UNFINISHED`), or None."""
    return min((event for _, event in _firsts(conn)), default=None)


def first_unfinished(conn: sa.Connection) -> Unfinished | None:
    """Return the unfinished row, batch or invoice with the oldest event, or None."""
    firsts = {event: entity for entity, event in _firsts(conn)}
    if not firsts:
        return None
    event = min(firsts)
    entity = firsts[event]
    table, is_unfinished = _UNFINISHED[entity]
    files, readings, own = tables.files, tables.readings, _rows.alias()
    its_file = {
        Entity.ROW: sa.select(own.c.file_id).where(own.c.id == _rows.c.id),
        Entity.BATCH: sa.select(readings.c.file_id).where(readings.c.id == _batches.c.reading_id),
        Entity.INVOICE: sa.select(_rows.c.file_id).where(_rows.c.id == _invoices.c.row_id),
    }[entity]
    named = table.join(_events, is_about(entity, table.c.id)).join(files, files.c.id == its_file.scalar_subquery())
    query = sa.select(_events.c.at, _BATCH_OF[entity], files.c.name).select_from(named)
    found = conn.execute(query.where(_events.c.id == event, is_unfinished).order_by(table.c.id).limit(1)).one()
    return Unfinished(event, *found)


def _firsts(conn: sa.Connection) -> list[tuple[Entity, int]]:
    """Return the id of the first event about unfinished rows, batches and invoices, by entity."""
    firsts = [
        (entity, conn.execute(_select_first(entity, table, is_unfinished)).scalar_one())
        for entity, (table, is_unfinished) in _UNFINISHED.items()
    ]
    return [(entity, int(event)) for entity, event in firsts if event is not None]


def _select_first(
    entity: Entity, table: sa.Table, is_unfinished: sa.ColumnElement[bool]
) -> sa.Select[tuple[int | None]]:
    journaled = table.join(_events, is_about(entity, table.c.id))
    return sa.select(sa.func.min(_events.c.id)).select_from(journaled).where(is_unfinished)
