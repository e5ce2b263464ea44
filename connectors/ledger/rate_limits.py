"""The shared rate limit of one outside system, by the database's clock: slower after a 429, paused after failures.

`system` is the name of the system's settings, such as `nfse`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import Statement, now, param

_t = tables.rate_limits
_MINUTE_S: Final = 60.0
_EASE_AFTER_S: Final = 60.0
"""After this long without a 429, the rate rises by a quarter; the provider does not document its limits."""
_FORGET_AFTER: Final = 10
"""After this many rises at once, a rate that no setting asks for is dropped."""
_AS_GOOD_AS_FREE: Final = 60_000
"""No worker sends this many requests a minute: a rate that rose this far is dropped, too."""
_FAR_S: Final = 30.0
"""Give no turn further ahead than this: no caller waits so long, so callers who only ask delay nobody."""
_SET_BACK_S: Final = 60.0
"""A start later than this after now was written before the database's clock was set back."""
_SAME_TROUBLE_S: Final = 2.0
"""Requests already in flight fail as well after the first failure: for this long, failures count as one."""


@dataclass(frozen=True, slots=True)
class RateState:
    """The rate limit of a system. All fields are None or 0 in normal operation."""

    system: str
    next_at: datetime | None
    per_minute: int | None
    slowed_at: datetime | None
    rests: int
    resting_since: datetime | None
    resting_until: datetime | None
    because: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """Turns from `begin_s` seconds on, one every `every_s`.

    `rest_s` > 0: no turn now. `is_probe`: the one probe request.
    """

    begin_s: float = 0.0
    every_s: float = 0.0
    rest_s: float = 0.0
    is_probe: bool = False


def rate_state_of(conn: sa.Connection, system: str) -> RateState | None:
    """Return the system's state, None if it never had a limit."""
    found = _find(conn, system=system).one_or_none()
    return None if found is None else RateState(*found)


@Statement
def _find(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).where(_t.c.system == param("system"))


def is_free(rate: RateState | None, *, most_per_minute: int | None) -> bool:
    """Return whether requests need no turns."""
    return most_per_minute is None and (rate is None or (rate.per_minute is None and not rate.rests))


def take_turns(conn: sa.Connection, system: str, *, count: int, most_per_minute: int | None, probe_s: float) -> Granted:
    """Take `count` turns at the present rate, which rises again with time and never exceeds the setting.

    After a pause the first caller gets the probe; the others wait for at most `probe_s` more. While the next turn is
    far ahead, as in a long pause, no turn is given.
    """
    rate, at = _lock_rate(conn, system), now(conn)
    if _is_to_come(rate, at):
        conn.execute(sa.delete(_t).where(_t.c.system == system))
        rate = _lock_rate(conn, system)
    if rate.resting_until is not None and rate.resting_until > at:
        return Granted(rest_s=(rate.resting_until - at).total_seconds())
    if rate.next_at is not None and rate.next_at > at + timedelta(seconds=_FAR_S):
        return Granted(rest_s=(rate.next_at - at).total_seconds())
    is_probe = rate.rests > 0
    if is_probe:
        _set(conn, system, resting_until=at + timedelta(seconds=probe_s))
    per_minute = _ease_rate(conn, rate, at, most_per_minute=most_per_minute)
    if per_minute is None:
        return Granted(is_probe=is_probe)
    every = _MINUTE_S / per_minute
    begin = max(at, rate.next_at or at)
    _set(conn, system, next_at=begin + timedelta(seconds=count * every))
    return Granted(begin_s=(begin - at).total_seconds(), every_s=every, is_probe=is_probe)


def slow_down(
    conn: sa.Connection,
    system: str,
    *,
    seen_per_minute: int,
    most_per_minute: int | None,
    least_per_minute: int,
    pause_s: float,
) -> int:
    """Halve the shared rate, or this worker's own rate where there is none. Return requests a minute.

    No turn comes before the end of the pause. Several workers with a 429 at once slow the system down once.
    """
    rate, at = _lock_rate(conn, system), now(conn)
    next_at = max(rate.next_at or at, at + timedelta(seconds=pause_s))
    is_same = rate.slowed_at is not None and at - rate.slowed_at < timedelta(seconds=_SAME_TROUBLE_S)
    if rate.per_minute is not None and is_same:
        _set(conn, system, next_at=next_at)
        return rate.per_minute
    shared = _ease_rate(conn, rate, at, most_per_minute=most_per_minute)
    per_minute = max(least_per_minute, (shared or seen_per_minute) // 2)
    _set(conn, system, per_minute=per_minute, slowed_at=at, next_at=next_at)
    return per_minute


def pause_system(conn: sa.Connection, system: str, *, waits_s: Sequence[float], because: str) -> float:
    """Pause the system for all workers. Return the pause in seconds: the next of `waits_s`, the last one repeats.

    Several workers that fail at once cause one pause.
    """
    rate, at = _lock_rate(conn, system), now(conn)
    if rate.resting_since is not None and rate.resting_until is not None and at < rate.resting_until:
        began_s = (at - rate.resting_since).total_seconds()
        if rate.rests and began_s < waits_s[min(rate.rests, len(waits_s)) - 1]:
            return (rate.resting_until - at).total_seconds()
    wait = waits_s[min(rate.rests, len(waits_s) - 1)]
    until = at + timedelta(seconds=wait)
    _set(conn, system, rests=rate.rests + 1, resting_since=at, resting_until=until, because=because)
    return wait


def record_recovery(conn: sa.Connection, system: str) -> None:
    """Record that the system works again."""
    _set(conn, system, rests=0, resting_since=None, resting_until=None, because=None)


def paused_after_failures(conn: sa.Connection) -> list[RateState]:
    """Return the systems that are paused now."""
    return [each for each, at in _known_rates(conn) if _is_paused(each, at)]


def paused_on_request(conn: sa.Connection) -> list[RateState]:
    """Return the systems without a turn for a while, mostly on the provider's request."""
    return [each for each, at in _known_rates(conn) if _is_far(each, at)]


def silent_systems(conn: sa.Connection) -> frozenset[str]:
    """Return the systems that nobody asks now: those that `paused_after_failures` and `paused_on_request` return."""
    return frozenset(each.system for each, at in _known_rates(conn) if _is_paused(each, at) or _is_far(each, at))


def slowed_systems(conn: sa.Connection) -> list[RateState]:
    """Return the systems below their setting, each with the rate of its next request."""
    raised = ((rate, _raised_rate(rate, at)) for rate, at in _known_rates(conn) if rate.per_minute is not None)
    return [replace(rate, per_minute=per_minute) for rate, per_minute in raised if per_minute is not None]


def _known_rates(conn: sa.Connection) -> list[tuple[RateState, datetime]]:
    """Return each system that ever had a limit, with the present instant."""
    found = _find_all(conn).all()
    # This runs at every search for due work, and most ledgers have no rate limit: they need no clock.
    at = now(conn) if found else None
    return [(RateState(*row), at) for row in found if at is not None]


@Statement
def _find_all(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).order_by(_t.c.system)


def _is_paused(rate: RateState, at: datetime) -> bool:
    return rate.resting_until is not None and rate.resting_until > at and not _is_to_come(rate, at)


def _is_far(rate: RateState, at: datetime) -> bool:
    is_ahead = rate.next_at is not None and rate.next_at > at + timedelta(seconds=_FAR_S)
    return is_ahead and not _is_to_come(rate, at)


def _ease_rate(conn: sa.Connection, rate: RateState, at: datetime, *, most_per_minute: int | None) -> int | None:
    """Return the current rate, risen with time but never above the setting; store it if it changed."""
    if rate.per_minute is None:
        return most_per_minute
    per_minute = _raised_rate(rate, at)
    if per_minute is None or (most_per_minute is not None and per_minute >= most_per_minute):
        _set(conn, rate.system, per_minute=None, slowed_at=None)
        return most_per_minute
    if per_minute != rate.per_minute:
        _set(conn, rate.system, per_minute=per_minute, slowed_at=at)
    return per_minute


def _raised_rate(rate: RateState, at: datetime) -> int | None:
    """Return the rate, a quarter higher for each minute without a 429, or None when it no longer limits anything.

    Keep the rate while a turn is still ahead, because that may be the end of a pause.
    """
    assert rate.per_minute is not None
    quiet_s = 0.0 if rate.slowed_at is None else (at - rate.slowed_at).total_seconds()
    raises = int(quiet_s // _EASE_AFTER_S)
    if raises < 1:
        return rate.per_minute
    per_minute = int(rate.per_minute * 1.25 ** min(raises, _FORGET_AFTER)) + 1
    if rate.next_at is not None and rate.next_at > at:
        return min(per_minute, _AS_GOOD_AS_FREE)
    return None if raises >= _FORGET_AFTER or per_minute >= _AS_GOOD_AS_FREE else per_minute


def _is_to_come(rate: RateState, at: datetime) -> bool:
    """Return whether the system's trouble began in the future: then the database's clock was set back.

    A turn is at most the longest wait and a minute ahead as long as nobody sets the clock back.
    """
    limit = at + timedelta(seconds=_SET_BACK_S)
    queue = None if rate.slowed_at is not None or rate.next_at is None else rate.next_at - timedelta(seconds=_FAR_S)
    return any(began is not None and began > limit for began in (rate.resting_since, rate.slowed_at, queue))


def _lock_rate(conn: sa.Connection, system: str) -> RateState:
    conn.execute(insert_unless_known(conn, _t).values(system=system))
    return RateState(*conn.execute(sa.select(_t).where(_t.c.system == system).with_for_update()).one())


def _set(conn: sa.Connection, system: str, **news: Any) -> None:
    conn.execute(sa.update(_t).where(_t.c.system == system).values(**news))
