"""Erase names and addresses of people after their enrolment was revoked; what they did stays in the journals."""

from datetime import datetime

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.staff.records import journal

_t = tables.staff
_events = tables.staff_events
_ERASED = "erased-"


def count_leavers(conn: sa.Connection, *, before: datetime) -> int:
    """Count the people revoked before `before` whose name and address are still stored."""
    return int(conn.execute(sa.select(sa.func.count()).select_from(_leavers(before).subquery())).scalar_one())


def erase_leavers(conn: sa.Connection, *, before: datetime, by: str) -> int:
    """Replace name and address of people revoked before `before`, and delete their other names. Return how many."""
    ids = list(conn.execute(_leavers(before)).scalars())
    for each in ids:
        nobody = f"{_ERASED}{each}"
        conn.execute(sa.delete(tables.staff_names).where(tables.staff_names.c.staff_id == each))
        is_name = (_events.c.staff_id == each, _events.c.what == "named")
        conn.execute(sa.update(_events).where(*is_name).values(becomes=None))
        conn.execute(sa.update(_t).where(_t.c.id == each).values(name=nobody, email=nobody))
        journal(conn, each, "erased", by=by)
    return len(ids)


def _leavers(before: datetime) -> sa.Select[tuple[int]]:
    return sa.select(_t.c.id).where(_t.c.revoked_at < before, _t.c.email.not_like(f"{_ERASED}%")).order_by(_t.c.id)
