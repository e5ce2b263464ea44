"""Store a person's acknowledgements of differences from the month before, with the reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import clock

_t = tables.acknowledgements


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A person's acknowledgement of a finding. `finding` is its digest, `at` an instant of the database's clock."""

    id: int
    finding: str
    person: str
    because: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAcknowledgement:
    """A finding to acknowledge. `finding` is its digest; amounts are in cents."""

    finding: str
    change: str
    emitter_id: int
    competence: date
    taker_id: int | None
    template: str | None
    cents_before: int | None
    cents: int | None


def acknowledge(
    conn: sa.Connection, reading_id: int, found: Sequence[NewAcknowledgement], *, person: str, because: str
) -> int:
    """Store acknowledgements of a reading's findings. Return the number of new ones."""
    at = clock(conn)
    made = 0
    for each in found:
        line: Mapping[str, Any] = {
            "reading_id": reading_id,
            "finding": each.finding,
            "change": each.change,
            "emitter_id": each.emitter_id,
            "competence": each.competence,
            "taker_id": each.taker_id,
            "template": each.template,
            "cents_before": each.cents_before,
            "cents": each.cents,
            "person": person,
            "because": because,
            "at": at,
        }
        made += conn.execute(insert_unless_known(conn, _t).values(**line).returning(_t.c.id)).first() is not None
    return made


def acknowledgements_of(conn: sa.Connection, reading_id: int) -> dict[str, Acknowledgement]:
    """Return the acknowledgements of a reading's findings, keyed by the finding's digest."""
    query = sa.select(_t.c.id, _t.c.finding, _t.c.person, _t.c.because, _t.c.at).where(_t.c.reading_id == reading_id)
    return {row.finding: Acknowledgement(*row) for row in conn.execute(query)}
