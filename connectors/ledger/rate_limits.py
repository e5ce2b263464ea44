"""The shared rate limit of each outside system, by the database's clock: slower after a 429, paused after failures.

`system` is the name of the system's settings, such as `nfse`. A turn is the right to start one request.
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
"""After each such time in seconds without a 429, the rate rises by a quarter: the provider documents no limits."""
_FORGET_AFTER: Final = 10
"""If this many rises are due at once, the limit from the 429 is dropped."""
_AS_GOOD_AS_FREE: Final = 60_000
"""No worker sends this many requests a minute: a limit that rose this far is dropped, too."""
_FAR_S: Final = 30.0
"""If the next turn is further ahead than these seconds, give none: no caller waits so long, so it would be lost."""
_SET_BACK_S: Final = 60.0
"""A start more than these seconds in the future was stored before the database's clock was set back."""
_SAME_TROUBLE_S: Final = 2.0
"""After a 429, requests in flight get one, too: within these seconds, several 429s slow the system down once."""


@dataclass(frozen=True, slots=True)
class RateState:
    """The state of a system's rate limit. Without a limit and a pause, all fields but `system` are None or 0.

    `next_at`: the instant of the next turn. `per_minute`: the limit since the 429 at `slowed_at`. `rests`: the number
    of pauses in a row; the newest is from `resting_since` to `resting_until`, `because` of a failure.
    """

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
    """The turns given: the first in `begin_s` seconds, then one every `every_s` seconds.

    `rest_s` > 0: no turn was given; ask again in so many seconds. `is_probe`: the first request after a pause, which
    shows whether the system works again.
    """

    begin_s: float = 0.0
    every_s: float = 0.0
    rest_s: float = 0.0
    is_probe: bool = False


def rate_state_of(conn: sa.Connection, system: str) -> RateState | None:
    """Return the state of a system's rate limit, or None if nothing was ever stored about it."""
    found = _find(conn, system=system).one_or_none()
    return None if found is None else RateState(*found)


@Statement
def _find(_conn: sa.Connection) -> sa.Select[Any]:
    return sa.select(_t).where(_t.c.system == param("system"))


def is_free(rate: RateState | None, *, most_per_minute: int | None) -> bool:
    """Return whether requests need no turns: no setting, no 429 and no failure limits them."""
    return most_per_minute is None and (rate is None or (rate.per_minute is None and not rate.rests))


def take_turns(conn: sa.Connection, system: str, *, count: int, most_per_minute: int | None, probe_s: float) -> Granted:
    """Take `count` turns at the present rate, which rises again with time and never exceeds `most_per_minute`.

    After a pause the first caller gets the probe request; the others wait until it shows that the system works, at most
    `probe_s` seconds. During a pause, and while the next turn is far ahead, no turn is given.
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
    """Halve the shared rate after a 429. Return the new rate in requests a minute, at least `least_per_minute`.

    Without a shared rate, halve `seen_per_minute`, the rate that this worker measured. No turn comes before `pause_s`
    seconds. Several workers with a 429 at once slow the system down once.
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
    """Pause the system for all workers after a failure. Return the seconds until the pause ends.

    Each further pause in a row takes the next of `waits_s` seconds, and then the last one again. Several workers that
    fail at once cause one pause.
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
    """Store that the system works again, and end its pauses."""
    _set(conn, system, rests=0, resting_since=None, resting_until=None, because=None)


def paused_after_failures(conn: sa.Connection) -> list[RateState]:
    """Return the systems that are paused now because of failures."""
    return [each for each, at in _known_rates(conn) if _is_paused(each, at)]


def paused_on_request(conn: sa.Connection) -> list[RateState]:
    """Return the systems whose next turn is too far ahead to be given. Mostly the provider asked for this pause."""
    return [each for each, at in _known_rates(conn) if _is_far(each, at)]


def silent_systems(conn: sa.Connection) -> frozenset[str]:
    """Return the systems that get no requests now: those of `paused_after_failures` and `paused_on_request`."""
    return frozenset(each.system for each, at in _known_rates(conn) if _is_paused(each, at) or _is_far(each, at))


def slowed_systems(conn: sa.Connection) -> list[RateState]:
    """Return the systems that 429 responses hold below their usual rate. `per_minute` is that of the next request."""
    raised = ((rate, _raised_rate(rate, at)) for rate, at in _known_rates(conn) if rate.per_minute is not None)
    return [replace(rate, per_minute=per_minute) for rate, per_minute in raised if per_minute is not None]


def _known_rates(conn: sa.Connection) -> list[tuple[RateState, datetime]]:
    """Return each stored state, with the present instant."""
    found = _find_all(conn).all()
    # This runs at every search for due work, and most ledgers have no rate limit: do not ask for the clock then.
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
    """Return the present rate, risen with time but never above `most_per_minute`; store it if it changed."""
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
    """Return the rate, a quarter higher for each minute without a 429. None: the limit can be dropped.

    While the next turn is in the future, the limit is not dropped, because that turn may be the end of a pause.
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
    """Return whether a stored start is in the future, because the database's clock was set back.

    Without a 429, a group of turns begins at most `_FAR_S` seconds ahead and takes less than `_SET_BACK_S` seconds.
    """
    limit = at + timedelta(seconds=_SET_BACK_S)
    queue = None if rate.slowed_at is not None or rate.next_at is None else rate.next_at - timedelta(seconds=_FAR_S)
    return any(began is not None and began > limit for began in (rate.resting_since, rate.slowed_at, queue))


def _lock_rate(conn: sa.Connection, system: str) -> RateState:
    conn.execute(insert_unless_known(conn, _t).values(system=system))
    return RateState(*conn.execute(sa.select(_t).where(_t.c.system == system).with_for_update()).one())


def _set(conn: sa.Connection, system: str, **news: Any) -> None:
    conn.execute(sa.update(_t).where(_t.c.system == system).values(**news))
