"""Empty refused rows at the end of their retention term, and find the files whose readings are all older."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock
from connectors.ledger.persons.erasures import bare_row, journal_erasure, write_line
from domain.states import RowState

_rows, _readings = tables.rows, tables.readings


def count_expired_rows(conn: sa.Connection, *, before: datetime) -> int:
    """Count the refused rows with content, of readings finished before `before`."""
    return int(conn.execute(sa.select(sa.func.count()).select_from(_select_expired(before).subquery())).scalar_one())


def expire_rows(conn: sa.Connection, *, before: datetime, by: str, because: str, sheets: int) -> int:
    """Empty the refused rows of readings finished before `before`, and journal it. Return the number of rows.

    `sheets` is the number of files that the caller deleted, for the journal.
    """
    expired = [dict(row) for row in conn.execute(_select_expired(before)).mappings()]
    for row in expired:
        write_line(conn, _rows, row, bare_row(row))
    if expired or sheets:
        journal_erasure(conn, "expired", by=by, because=because, counts={"rows": len(expired), "sheets": sheets})
    return len(expired)


def files_read_before(conn: sa.Connection, before: datetime) -> list[tuple[int, str, str]]:
    """Return (id, SHA-256, name) of the files whose readings were all finished before `before`."""
    files = tables.files
    newest = sa.func.max(sa.func.coalesce(_readings.c.finished_at, clock(conn)))
    query = sa.select(files.c.id, files.c.sha256, files.c.name).join(_readings, _readings.c.file_id == files.c.id)
    query = query.group_by(files.c.id, files.c.sha256, files.c.name).having(newest < before).order_by(files.c.id)
    return [(row.id, row.sha256, row.name) for row in conn.execute(query)]


def _select_expired(before: datetime) -> sa.Select[Any]:
    has_words = sa.or_(sa.cast(_rows.c.cells, sa.Text) != "{}", _rows.c.line.is_not(None))
    return (
        sa.select(_rows)
        .join(_readings, _readings.c.id == _rows.c.reading_id)
        .where(_rows.c.state == str(RowState.REFUSED), _readings.c.finished_at < before, has_words)
        .order_by(_rows.c.id)
    )
