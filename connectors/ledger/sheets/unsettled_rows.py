"""Query refused rows of dropped sheets without a later row and without an invoice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.contracts import living_keys
from connectors.ledger.files import is_whole
from connectors.ledger.rows import RowRecord, rows_where
from connectors.ledger.sheets.row_families import living_families, rows_of_families
from domain.states import RowState

_rows, _readings, _ours = tables.rows, tables.readings, tables.contract_sheets


@dataclass(frozen=True, slots=True)
class UnsettledRow:
    """A refused row with its file and the instant of its reading. `columns`: the field of each column letter."""

    row: RowRecord
    file_name: str
    read_at: datetime
    columns: Sequence[Mapping[str, Any]]


def unsettled_rows(conn: sa.Connection, *, since: datetime) -> list[UnsettledRow]:
    """Return refused rows, read since an instant, that are the newest of their charge and have no invoice.

    Sheets written by the system are left out: their contracts and payments show what is open.
    """
    read = sa.select(_readings.c.id).where(
        _readings.c.started_at >= since, _readings.c.file_id.not_in(sa.select(_ours.c.file_id))
    )
    is_asked = sa.and_(
        _rows.c.state == str(RowState.REFUSED), _rows.c.reading_id.in_(read), is_whole(_rows.c.reading_id)
    )
    refused = rows_where(conn, is_asked)
    families = {row.family for row in refused}
    if not families:
        return []
    newest = {row.family: row.id for row in rows_of_families(conn, families)}
    living = living_families(conn, families)
    billed = living_keys(conn, {row.business_key for row in refused if row.business_key})
    left = [
        row
        for row in refused
        if newest[row.family] == row.id and row.family not in living and row.business_key not in billed
    ]
    query = sa.select(_readings.c.id, _readings.c.started_at, _readings.c.understood, tables.files.c.name)
    query = query.join(tables.files, tables.files.c.id == _readings.c.file_id).where(_readings.c.started_at >= since)
    readings = {each.id: each for each in conn.execute(query)}
    return [
        UnsettledRow(row, read.name, read.started_at, (read.understood or {}).get("columns", ()))
        for row in left
        for read in (readings[row.reading_id],)
    ]
