"""Share the requests in flight of one outside system among the sessions of all processes, by the database's clock.

A slot is the right to have one request in flight. No session takes a slot beyond the limit of all. A new session gets
the free slots, and more after the others have given up their surplus. The slots of a process that ended on this machine
are free at once, because its connections are closed. The slots of a process that ended elsewhere stay taken until none
of its requests can be under way. An owner is the name of a process (`connectors.process_names`), a blank, and a token
of the session.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import now
from connectors.process_names import has_ended

_t = tables.request_slots
_p = tables.rate_limits
_SPARE_S: Final = 10.0
"""Seconds that a session may start requests without reading the ledger again."""
_RENEW_S: Final = 5.0
"""Renew when fewer seconds than this are left, so that most reads cause no write."""
_TURN_S: Final = 1.0
"""Seconds after which a session passes its slot on when there are more sessions than slots."""
_SET_BACK_S: Final = 60.0
"""An end more than these seconds beyond the longest possible one was stored before the clock was set back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRequest:
    """A session's requests in flight, the limit for all sessions together, and the longest time of a request."""

    in_use: int
    limit: int
    request_timeout_s: float


@dataclass(frozen=True, slots=True)
class Share:
    """At most `slots` requests may be in flight; new ones may start during the next `for_s` seconds."""

    slots: int
    for_s: float


@dataclass(frozen=True, slots=True)
class SystemSessions:
    """The number of sessions that share the requests in flight of a system."""

    system: str
    sessions: int


@dataclass(frozen=True, slots=True)
class _Holder:
    owner: str
    slots: int
    since: datetime
    until: datetime


def share_of(conn: sa.Connection, system: str, owner: str, asked: SlotRequest) -> Share | None:
    """Return the session's share, or None if it must be renewed by `take_share`. This only reads, so call it first."""
    at = now(conn)
    live, _ = _read(conn, system, at, asked)
    mine, others = _split_by_owner(live, owner)
    if mine is None:
        return None
    target = _target(mine, others, at, limit=asked.limit)
    granted = _granted_slots(target, asked, others)
    left_s = (mine.until - at).total_seconds() - asked.request_timeout_s
    is_same = mine.slots == granted
    return Share(min(target, granted), left_s) if is_same and left_s > _RENEW_S else None


def take_share(conn: sa.Connection, system: str, owner: str, asked: SlotRequest) -> Share:
    """Store and return the session's share of a system's slots.

    The share is an equal part of the limit, or the free slots if they are fewer. The session keeps the slots of its
    requests in flight. If there are more sessions than slots, sessions take turns: a share may be 0 for a while.
    """
    # Lock the system: otherwise two sessions would take the same slot.
    conn.execute(insert_unless_known(conn, _p).values(system=system))
    conn.execute(sa.select(_p.c.system).where(_p.c.system == system).with_for_update())
    at = now(conn)
    live, gone = _read(conn, system, at, asked)
    if gone:
        conn.execute(sa.delete(_t).where(_t.c.system == system, _t.c.owner.in_(gone)))
    mine, others = _split_by_owner(live, owner)
    held = mine or _Holder(owner, 0, at, at)
    target = _target(held, others, at, limit=asked.limit)
    granted = _granted_slots(target, asked, others)
    # `since` starts again when a session gets its first slot or gives up its last one.
    since = at if (granted == 0) != (held.slots == 0) else held.since
    until = at + timedelta(seconds=asked.request_timeout_s + _SPARE_S)
    change = sa.insert(_t) if mine is None else sa.update(_t).where(_t.c.system == system, _t.c.owner == owner)
    conn.execute(change.values(system=system, owner=owner, slots=granted, since=since, until=until))
    return Share(min(target, granted), _SPARE_S)


def give_back(conn: sa.Connection, system: str, owner: str) -> None:
    """Free all slots of a session, which must have no request in flight."""
    conn.execute(sa.delete(_t).where(_t.c.system == system, _t.c.owner == owner))


def sessions_by_system(conn: sa.Connection) -> list[SystemSessions]:
    """Return how many sessions share each system now."""
    live = conn.execute(sa.select(_t.c.system, _t.c.owner).where(_t.c.until > now(conn)).order_by(_t.c.system))
    counted = Counter(system for system, owner in live if not _has_ended(owner))
    return [SystemSessions(*each) for each in counted.items()]


def _read(conn: sa.Connection, system: str, at: datetime, asked: SlotRequest) -> tuple[list[_Holder], list[str]]:
    """Return the system's holders, and the owners whose time or process has ended: their slots are free."""
    query = sa.select(_t.c.owner, _t.c.slots, _t.c.since, _t.c.until).where(_t.c.system == system)
    found = [_Holder(*row) for row in conn.execute(query.order_by(_t.c.since, _t.c.owner))]
    end = at + timedelta(seconds=asked.request_timeout_s + _SPARE_S + _SET_BACK_S)
    live = [each for each in found if at < each.until < end and not _has_ended(each.owner)]
    kept = {each.owner for each in live}
    return live, [each.owner for each in found if each.owner not in kept]


def _split_by_owner(live: list[_Holder], owner: str) -> tuple[_Holder | None, list[_Holder]]:
    mine = next((each for each in live if each.owner == owner), None)
    return mine, [each for each in live if each.owner != owner]


def _has_ended(owner: str) -> bool:
    return has_ended(owner.partition(" ")[0])


def _target(mine: _Holder, others: list[_Holder], at: datetime, *, limit: int) -> int:
    """Return how many slots the session should have. With fewer slots than sessions, they take turns."""
    if len(others) < limit:
        return limit // (len(others) + 1)
    waiting = [each for each in others if not each.slots]
    if mine.slots:
        is_over = (at - mine.since).total_seconds() >= _TURN_S
        return 0 if waiting and is_over else 1
    earlier = [each for each in waiting if (each.since, each.owner) < (mine.since, mine.owner)]
    return 1 if limit - _sum(others) > len(earlier) else 0


def _granted_slots(target: int, asked: SlotRequest, others: list[_Holder]) -> int:
    return max(asked.in_use, min(target, asked.limit - _sum(others)), 0)


def _sum(holders: list[_Holder]) -> int:
    return sum(each.slots for each in holders)
