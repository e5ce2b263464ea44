"""How many requests each station made, counted where they were made: the budget's other half."""

import sqlalchemy as sa


def count(
    conn: sa.Connection,
    station: str,
    requests: int,
    *,
    reading_id: int | None = None,
    batch_id: int | None = None,
) -> None:
    """Note so many requests; nothing is written for none."""
    raise NotImplementedError


def requests_by_station(conn: sa.Connection, *, reading_id: int | None = None) -> dict[str, int]:
    """Requests by station; with a reading, those counted on it and on its batches."""
    raise NotImplementedError
