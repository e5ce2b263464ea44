"""Decide when a request may begin, for all workers of one account: an adaptive rate, and pauses after failures.

The shared state is behind `SharedRateLimit` (in production: the ledger's database). The session reads it about once a
second, not for each request. In normal operation a request costs no query; under a rate limit, turns are taken in
groups.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from connectors.http.errors import Broken, Busy, ConnectorError, Doubtful, Resting, TooLate, Unreachable
from connectors.http.slots import SharedSlots
from connectors.http.wire_trace import Wire

_REFRESH_S: Final = 1.0
_TURNS_AT_ONCE: Final = 64
_WINDOW: Final = 256
_MINUTE_S: Final = 60.0
_BRIEF_S: Final = 0.1
"""The shortest window in seconds for a rate: a few requests in an instant are no rate yet."""
_UNAVAILABLE: Final = 503
_FAILURES: Final = (Unreachable, Broken, Doubtful)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Turns from the shared rate limit: `count` requests, the first in `begin_s` seconds, then one every `every_s`.

    Without a rate limit, `every_s` is 0 and `count` has no meaning. If `rest_s` is above 0, send no request for that
    many seconds. With `is_probe`, send one request to learn whether the provider works again after a pause.
    """

    count: int
    begin_s: float = 0.0
    every_s: float = 0.0
    rest_s: float = 0.0
    is_probe: bool = False


class SharedRateLimit(Protocol):
    """The shared state of all workers of one account."""

    async def turns(self, count: int) -> Turns:
        """Take `count` turns at the current rate."""
        ...

    async def slow_down(self, *, seen_per_minute: int, pause_s: float) -> None:
        """Halve the rate, because the provider asked for less, and pause all requests for `pause_s` seconds.

        `seen_per_minute` is the rate at which this session began its latest requests.
        """
        ...

    async def rest(self, because: str) -> float:
        """Pause all requests, longer after each failure in a row. Return the pause in seconds.

        `because` is the code of the last error.
        """
        ...

    async def recover(self) -> None:
        """Record that the provider works again."""
        ...


@dataclass(slots=True)
class Streak:
    """Consecutive failures in all sessions of this process."""

    failures: int = 0


class Throttle:
    """One session's view of the shared rate limit.

    It waits for a turn at most `longest_wait_s`; for a later turn it raises `Resting`. It pauses all requests after
    `failures_before_rest` consecutive failures. `slots` is the account's limit of requests in flight; without it the
    session has its own.
    """

    def __init__(
        self,
        shared: SharedRateLimit,
        streak: Streak,
        *,
        failures_before_rest: int,
        longest_wait_s: float = 30.0,
        longest_pause_s: float = 3_600.0,
        slots: SharedSlots | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.slots = slots
        self._shared = shared
        self._streak = streak
        self._limit = failures_before_rest
        self._longest_wait_s = longest_wait_s
        self._longest_pause_s = longest_pause_s
        self._clock = clock
        self._lock = asyncio.Lock()
        self._good_until = self._slowed_at = float("-inf")
        self._rests_until = self._next = self._every = self._paused_s = 0.0
        self._left, self._asked = 0, 1
        self._probe: asyncio.Event | None = None
        self._is_probe_begun = False
        self._begun: deque[float] = deque(maxlen=_WINDOW)

    async def admit(self, label: str, *, earlier: int) -> None:
        """Wait for this request's turn. Raises `Resting` when the turn is too far ahead; then nothing was sent."""
        while True:
            while self._is_stale():
                async with self._lock:
                    if self._is_stale():
                        await self._refresh()
            if self._probe is None or not self._is_probe_begun:
                break
            await self._probe.wait()
        self._is_probe_begun = self._probe is not None
        wait = self._take_turn(label, earlier=earlier)
        if wait > 0:
            await asyncio.sleep(wait)
        self._begun.append(self._clock())

    async def record_end(self, error: ConnectorError | None) -> None:
        """Record the outcome of a request. An answer of the provider itself, except 429 and 5xx, shows that it works.

        A 503 is a failure, even with a Retry-After.
        """
        is_down = isinstance(error, Busy) and error.status == _UNAVAILABLE
        has_failed = is_down or (isinstance(error, _FAILURES) and not isinstance(error, TooLate | Resting))
        self._streak.failures = self._streak.failures + 1 if has_failed else 0
        was_probe, self._probe = self._probe, None
        if error is not None and (isinstance(error, Busy) or error.retry_after):
            await self._slow_down(error)
        if error is not None and has_failed and (was_probe or self._streak.failures >= self._limit):
            self._streak.failures = 0
            self._rests_until = self._clock() + await self._shared.rest(error.code)
        elif was_probe and not isinstance(error, Busy):
            await self._shared.recover()
        if was_probe:
            was_probe.set()

    def record_abandoned(self) -> None:
        """Record that we gave a request up: its outcome is unknown, and another request may be the probe."""
        if self._probe is not None:
            self._probe.set()
            self._probe = None

    def _is_stale(self) -> bool:
        return self._clock() > self._good_until or bool(self._every and self._left <= 0)

    async def _refresh(self) -> None:
        turns = await self._shared.turns(self._asked)
        at = self._clock()
        self._good_until = at + _REFRESH_S
        self._rests_until = at + turns.rest_s
        if turns.is_probe:
            self._probe, self._is_probe_begun = asyncio.Event(), False
        self._every = turns.every_s
        if self._every:
            self._left, self._next = turns.count, at + turns.begin_s
            self._good_until = max(self._good_until, self._next + turns.count * self._every)
            # At most as many as fit into one refresh; a slow session grows slowly and leaves turns to others.
            self._asked = min(2 * self._asked, int(_REFRESH_S / self._every) + 1, _TURNS_AT_ONCE)

    def _take_turn(self, label: str, *, earlier: int) -> float:
        """Take a turn. Return the seconds until it may begin."""
        at = self._clock()
        begin = max(self._rests_until, self._next if self._every else at)
        if self._rests_until > at or begin - at > self._longest_wait_s:
            raise Resting(label, wire=Wire(requests=earlier), retry_after=begin - at)
        if self._every:
            self._left -= 1
            self._next = max(begin, at) + self._every
        return max(0.0, begin - at)

    async def _slow_down(self, error: ConnectorError) -> None:
        """Slow down at most once a second, except for a longer pause: many requests are refused together."""
        at = self._clock()
        pause_s = min(error.retry_after or 0.0, self._longest_pause_s)
        if at - self._slowed_at < _REFRESH_S and pause_s <= self._paused_s:
            return
        self._slowed_at, self._good_until, self._paused_s = at, float("-inf"), pause_s
        recent = [begun for begun in self._begun if at - begun < _MINUTE_S]
        window = max(_BRIEF_S, at - recent[0]) if recent else _MINUTE_S
        seen = max(1, round(len(recent) * _MINUTE_S / window))
        await self._shared.slow_down(seen_per_minute=seen, pause_s=pause_s)
