"""The files whose operators must get news."""

from datetime import datetime

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import Instant
from connectors.ledger.files import whole_readings_of


def files_under_way(conn: sa.Connection, *, operator: str, since: datetime) -> list[int]:
    """Return files dropped by `operator` with an open batch, or one that was closed or counted again after `since`.

    Another person may have read the file again since.
    """
    readings, batches = tables.readings, tables.batches
    dropped = sa.select(readings.c.file_id).where(readings.c.operator == operator)
    newest = sa.func.coalesce(batches.c.recounted_at, batches.c.closed_at)
    query = (
        sa.select(readings.c.file_id)
        .join(batches, batches.c.reading_id == readings.c.id)
        .where(readings.c.file_id.in_(dropped))
        .where(sa.or_(newest.is_(None), newest >= since))
        .distinct()
        .order_by(readings.c.file_id)
    )
    return list(conn.execute(query).scalars())


def newest_change(conn: sa.Connection, file_id: int) -> datetime | None:
    """Return when a row of the file, or its invoice, last changed state; None before its first reading."""
    events, rows, invoices = tables.events, tables.rows, tables.invoices
    own_rows = sa.select(rows.c.id).where(rows.c.reading_id.in_(whole_readings_of(file_id)))
    own_notes = sa.select(invoices.c.id).where(invoices.c.row_id.in_(own_rows))
    newest = [
        sa.select(sa.func.max(events.c.at, type_=Instant)).where(events.c.entity == entity, events.c.entity_id.in_(ids))
        for entity, ids in (("row", own_rows), ("invoice", own_notes))
    ]
    found = [conn.execute(query).scalar_one() for query in newest]
    return max((at for at in found if at is not None), default=None)
