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
class RequestedEmitter:
    """The company that the options of a reading name. `name` is empty while the ledger does not know the company."""

    cnpj: str
    name: str


def other_requested_emitter(conn: sa.Connection, file_id: int, *, cnpj: str) -> RequestedEmitter | None:
    """Return the company, other than `cnpj`, that the options of a reading of this file name, or None.

    A reading counts while it has a row with a living invoice, or a row that has none yet.
    """
    requested = _readings.c.options["emitter_cnpj"].as_string()
    is_billed = sa.exists().where(
        _rows.c.reading_id == _readings.c.id, _invoices.c.row_id == LEADER, _invoices.c.is_living
    )
    is_unfinished = sa.exists().where(_rows.c.reading_id == _readings.c.id, _rows.c.state.in_(_UNFINISHED))
    query = (
        sa.select(requested, sa.func.coalesce(_emitters.c.name, ""))
        .select_from(_readings.outerjoin(_emitters, _emitters.c.cnpj == requested))
        .where(
            _readings.c.id.in_(files.finished_readings_query(file_id)),
            requested != cnpj,
            sa.or_(is_billed, is_unfinished),
        )
        .order_by(_readings.c.id.desc())
    )
    found = conn.execute(query.limit(1)).one_or_none()
    return None if found is None else RequestedEmitter(*found)
