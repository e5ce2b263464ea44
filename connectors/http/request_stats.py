"""Statistics of a session's requests: outcomes and latencies; one debug line for each request."""

import logging
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from connectors.http.calls import Call

BUCKETS_S: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the latency buckets in seconds; slower requests are in one more bucket."""
SILENT: Final = "silent"
"""The outcome of a request without a complete answer; other outcomes are status classes, such as "2xx"."""
_FIRST: Final = datetime(1, 1, 3, tzinfo=UTC)
_LAST: Final = datetime(9999, 12, 29, tzinfo=UTC)
"""Instants that stay within a `datetime` in each time zone, and a day later or earlier."""
_CLASSES: Final = {hundreds: f"{hundreds}xx" for hundreds in range(1, 6)}

log: Final = logging.getLogger("faturista.http")


@dataclass(slots=True)
class RequestStats:
    """Request counts by (outcome, bucket), and the sum of their seconds by the same key."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    seconds: defaultdict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))

    date: tuple[str, datetime, datetime] | None = None
    """The newest `Date` header, and our aware UTC instants before its request and after its answer."""

    @property
    def clock_offset_s(self) -> float | None:
        """Return the least seconds by which the provider's clock is ahead (negative: behind); None if unknown.

        The provider may have read its clock at any instant between request and answer, so the result is 0 if its
        `Date` lies between the two.
        """
        at = self.provider_at
        if self.date is None or at is None:
            return None
        _, asked_at, answered_at = self.date
        return (at - min(max(at, asked_at), answered_at)).total_seconds()

    @property
    def provider_at(self) -> datetime | None:
        """Return the provider's clock at its newest answer, to the second; None if unknown."""
        if self.date is None:
            return None
        try:
            at = parsedate_to_datetime(self.date[0])
        except (ValueError, TypeError, OverflowError):
            return None
        return None if at.tzinfo is None else min(max(at, _FIRST), _LAST)

    def add(self, call: Call, status: int | None, took_s: float) -> None:
        """Count one request; `status` is None without a complete answer."""
        outcome = SILENT if status is None else _CLASSES.get(status // 100, "other")
        key = outcome, bucket_of(took_s)
        self.requests[key] += 1
        self.seconds[key] += took_s
        if log.isEnabledFor(logging.DEBUG):
            name = _without_ids(call.label)
            figures = {"call": name, "status": status, "took_ms": round(took_s * 1_000)}
            log.debug("%s: %s", name, outcome, extra={"figures": figures})


def _without_ids(label: str) -> str:
    """Return the name of a request without path parts that may be a person's document."""
    method, _, path = label.partition(" ")
    parts = ("{id}" if any(each.isdigit() for each in part) else part for part in path.split("/"))
    return f"{method} {'/'.join(parts)}"


def bucket_of(took_s: float) -> int:
    """Return the index of the first bound that is not below `took_s`, or the number of bounds."""
    return bisect_left(BUCKETS_S, took_s)
