"""Find rows that were refused because their month is closed, and that nobody has billed since."""

from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock
from connectors.ledger.sheets.row_families import ORIGIN, living_families
from domain.states import RowState

_rows, _readings = tables.rows, tables.readings
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class ClosedRow:
    """A row of a service sheet that was refused as one of a closed month. `description` is the row's own."""

    emitter_id: int
    taker_id: int
    template_id: int
    month: date
    service_cents: int
    description: str


def closed_rows(conn: sa.Connection, *, code: str, days: int) -> list[ClosedRow]:
    """Return the rows that got this problem in the readings of the last `days` days and have no invoice since."""
    month = _rows.c.line["competence"].as_string()
    query = (
        sa.select(
            ORIGIN,
            _rows.c.emitter_id,
            _rows.c.taker_id,
            _rows.c.template_id,
            month,
            _rows.c.line["service_cents"].as_integer(),
            sa.func.coalesce(_rows.c.line["description"].as_string(), ""),
        )
        .join(_readings, _readings.c.id == _rows.c.reading_id)
        .where(
            _readings.c.started_at > clock(conn, plus_s=-days * _DAY_S),
            _rows.c.state == str(RowState.REFUSED),
            _rows.c.template_id.is_not(None),
            month.is_not(None),
            sa.cast(_rows.c.problems, sa.Text).contains(f'"{code}"', autoescape=True),
        )
        .order_by(_rows.c.id)
    )
    found = list(conn.execute(query))
    billed = living_families(conn, {row[0] for row in found})
    return [
        ClosedRow(emitter, taker, template, date.fromisoformat(text), cents, description)
        for origin, emitter, taker, template, text, cents, description in found
        if origin not in billed
    ]
