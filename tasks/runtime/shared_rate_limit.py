"""The limits that all workers of one account share, stored in the ledger's database: rate, and requests in flight."""

import secrets
from dataclasses import dataclass, field
from typing import Final

from configs.system_sections import RateLimitSettings
from connectors.http.throttle import Streak, Throttle, Turns
from connectors.ledger import rate_limits, request_slots
from connectors.ledger.engine import Ledger
from connectors.process_names import process_name

_STREAKS: Final[dict[tuple[str, str], Streak]] = {}
"""Consecutive failures by ledger and system: each task run opens its own session, and the sessions share the count."""


@dataclass(frozen=True, slots=True)
class SharedLimits:
    """One system's shared rate limit; `probe_s` is the largest duration of a probe request, in seconds."""

    ledger: Ledger
    system: str
    settings: RateLimitSettings
    probe_s: float

    async def turns(self, count: int) -> Turns:
        most = self.settings.per_minute
        rate = await self.ledger.read_async(rate_limits.rate_state_of, self.system)
        if rate_limits.is_free(rate, most_per_minute=most):
            return Turns(count=count)
        given = await self.ledger.write_async(
            rate_limits.take_turns, self.system, count=count, most_per_minute=most, probe_s=self.probe_s
        )
        return Turns(
            count=count, begin_s=given.begin_s, every_s=given.every_s, rest_s=given.rest_s, is_probe=given.is_probe
        )

    async def slow_down(self, *, seen_per_minute: int, pause_s: float) -> None:
        await self.ledger.write_async(
            rate_limits.slow_down,
            self.system,
            seen_per_minute=seen_per_minute,
            most_per_minute=self.settings.per_minute,
            least_per_minute=self.settings.least_per_minute,
            pause_s=pause_s,
        )

    async def rest(self, because: str) -> float:
        return await self.ledger.write_async(
            rate_limits.pause_system, self.system, waits_s=self.settings.rests_s, because=because
        )

    async def recover(self) -> None:
        await self.ledger.write_async(rate_limits.record_recovery, self.system)


@dataclass(frozen=True, slots=True)
class LedgerSlots:
    """One session's share of a system's requests in flight. `request_timeout_s` is the longest that a request lasts."""

    ledger: Ledger
    system: str
    request_timeout_s: float
    owner: str = field(default_factory=lambda: f"{process_name()} {secrets.token_hex(8)}")

    async def share(self, *, in_use: int, limit: int) -> tuple[int, float]:
        asked = request_slots.SlotRequest(in_use=in_use, limit=limit, request_timeout_s=self.request_timeout_s)
        share = await self.ledger.read_async(request_slots.share_of, self.system, self.owner, asked)
        if share is None:
            share = await self.ledger.write_async(request_slots.take_share, self.system, self.owner, asked)
        return share.slots, share.for_s

    async def give_back(self) -> None:
        await self.ledger.write_async(request_slots.give_back, self.system, self.owner)


def throttle_of(ledger: Ledger, system: str, settings: RateLimitSettings, *, request_timeout_s: float) -> Throttle:
    """Return the throttle that a session asks before each request to this system."""
    streak = _STREAKS.setdefault((ledger.address, system), Streak())
    return Throttle(
        SharedLimits(ledger, system, settings, probe_s=2 * request_timeout_s),
        streak,
        failures_before_rest=settings.failures_before_rest,
        longest_pause_s=settings.longest_pause_s,
        slots=LedgerSlots(ledger, system, request_timeout_s),
    )
