"""How many requests each station made, counted where they were made: the budget's other half."""

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.sql import clock

_t = tables.traffic


def count(
    conn: sa.Connection, station: str, requests: int, *, reading_id: int | None = None, batch_id: int | None = None
) -> None:
    """Note so many requests; nothing is written for none."""
    if requests:
        line = {"station": station, "requests": requests, "reading_id": reading_id, "batch_id": batch_id}
        conn.execute(sa.insert(_t).values(**line, at=clock(conn)))


def requests_by_station(conn: sa.Connection, *, reading_id: int | None = None) -> dict[str, int]:
    """Requests by station; with a reading, those counted on it and on its batches."""
    query = sa.select(_t.c.station, sa.func.sum(_t.c.requests)).group_by(_t.c.station).order_by(_t.c.station)
    if reading_id is not None:
        batches = sa.select(tables.batches.c.id).where(tables.batches.c.reading_id == reading_id)
        query = query.where(sa.or_(_t.c.reading_id == reading_id, _t.c.batch_id.in_(batches)))
    return {station: int(total) for station, total in conn.execute(query)}
