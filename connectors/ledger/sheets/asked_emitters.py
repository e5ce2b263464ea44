"""Find the company that an earlier reading of a file bills because its options, not its rows, named that company."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.invoices import LEADER
from domain.states import RowState

_rows, _invoices, _readings = tables.rows, tables.invoices, tables.readings
_emitters = tables.emitters
_UNFINISHED: Final = sorted((str(RowState.READ), str(RowState.RESOLVED)))


@dataclass(frozen=True, slots=True)
class AskedEmitter:
    """A company that a person asked for. `name` is empty while the ledger does not know the company."""

    cnpj: str
    name: str


def other_emitter(conn: sa.Connection, file_id: int, *, cnpj: str) -> AskedEmitter | None:
    """Return the company, other than `cnpj`, that a reading of this file was asked to bill for; None without one.

    A reading counts while it has a row with a living invoice, or a row that has none yet.
    """
    asked = _readings.c.options["emitter_cnpj"].as_string()
    is_billed = sa.exists().where(
        _rows.c.reading_id == _readings.c.id, _invoices.c.row_id == LEADER, _invoices.c.is_living
    )
    is_unfinished = sa.exists().where(_rows.c.reading_id == _readings.c.id, _rows.c.state.in_(_UNFINISHED))
    query = (
        sa.select(asked, sa.func.coalesce(_emitters.c.name, ""))
        .select_from(_readings.outerjoin(_emitters, _emitters.c.cnpj == asked))
        .where(
            _readings.c.id.in_(files.finished_readings_query(file_id)), asked != cnpj, sa.or_(is_billed, is_unfinished)
        )
        .order_by(_readings.c.id.desc())
    )
    found = conn.execute(query.limit(1)).one_or_none()
    return None if found is None else AskedEmitter(*found)
