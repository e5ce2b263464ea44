"""Alerts for people: raised once, sent once, and cleared when the cause ends.

An alert is open from `raise_alert` to `clear_alert`. A topic and a subject have at most one open alert.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import clock, has_come

RUN_FAILED: Final = "run_failed"
"""Topic of the alerts about failed runs; their subject is the flow."""
_LONGEST_CLAIM_S: Final = 3_600.0
_t = tables.alerts


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert for people. `code` and `params` are those of a `Problem`: they select its message.

    `subject` distinguishes alerts of one topic: a flow's name, or a batch's id. `delivered_to` names the recipients who
    got the alert; `delivered_at` is None until all of them got it.
    """

    id: int
    topic: str
    subject: str
    code: str
    params: dict[str, Any]
    raised_at: datetime
    delivered_to: list[str]
    delivered_at: datetime | None
    cleared_at: datetime | None


def raise_alert(conn: sa.Connection, topic: str, subject: str, *, code: str, params: Mapping[str, str | int]) -> bool:
    """Open an alert, or update the message of the open one. Return whether it is new."""
    is_open = sa.and_(_has_key(topic, subject), _t.c.cleared_at.is_(None))
    line = {"code": code, "params": dict(params)}
    if conn.execute(sa.update(_t).where(is_open).values(**line)).rowcount:
        return False
    conn.execute(sa.insert(_t).values(topic=topic, subject=subject, **line, delivered_to=[], raised_at=clock(conn)))
    return True


def clear_alert(conn: sa.Connection, topic: str, subject: str) -> bool:
    """Close the open alert of this topic and subject. Return whether there was one."""
    is_open = sa.and_(_has_key(topic, subject), _t.c.cleared_at.is_(None))
    return bool(conn.execute(sa.update(_t).where(is_open).values(cleared_at=clock(conn))).rowcount)


def open_alerts(conn: sa.Connection, topic: str | None = None) -> list[Alert]:
    """Return the open alerts of one topic, or of all (None), oldest first."""
    query = sa.select(*_RECORD).where(_t.c.cleared_at.is_(None)).order_by(_t.c.id)
    if topic is not None:
        query = query.where(_t.c.topic == topic)
    return [Alert(*row) for row in conn.execute(query)]


def claim_unsent(conn: sa.Connection, topics: Collection[str], *, seconds: float) -> list[Alert]:
    """Claim and return the open alerts of these topics that some recipient lacks.

    No other process gets them for `seconds`.
    """
    is_undelivered = sa.and_(_t.c.topic.in_(topics), _t.c.cleared_at.is_(None), _t.c.delivered_at.is_(None))
    has_ended = has_come(_t.c.claimed_until, clock(conn), clock(conn, plus_s=_LONGEST_CLAIM_S))
    is_free = sa.or_(_t.c.claimed_until.is_(None), has_ended)
    change = sa.update(_t).where(is_undelivered, is_free).values(claimed_until=clock(conn, plus_s=seconds))
    return sorted((Alert(*row) for row in conn.execute(change.returning(*_RECORD))), key=lambda each: each.id)


def mark_delivered(conn: sa.Connection, alert: Alert, to: Sequence[str], *, is_all: bool) -> None:
    """Add `to` to the recipients who got the alert. `is_all`: every recipient has it now."""
    news: dict[str, Any] = {"delivered_to": sorted({*alert.delivered_to, *to})}
    if is_all:
        news["delivered_at"] = clock(conn)
    conn.execute(sa.update(_t).where(_t.c.id == alert.id).values(**news))


def _has_key(topic: str, subject: str) -> sa.ColumnElement[bool]:
    return sa.and_(_t.c.topic == topic, _t.c.subject == subject)


_RECORD: Final = [_t.c[field.name] for field in fields(Alert)]
