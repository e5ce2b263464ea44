"""P11: whether the last notes of a ledger cost as much as the first ones, in time and in memory.

Stage a hundred thousand notes in one ledger, a thousand at a time, at a provider that answers at once; time each
thousand. Time is linear if the last ten thousand take as long as the first.
"""

import asyncio
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.load import stations
from tests.load.responder import running_responder
from tests.load.table import Row

NOTES: Final = 100_000
STEP: Final = 1_000
PART: Final = 10
"""Number of steps at each end that are compared."""
_BATCH_SIZE: Final = 500
_IN_FLIGHT: Final = 64


def rows(*, notes: int = NOTES, step: int = STEP) -> Iterator[Row]:
    """Measure for about five minutes for each database."""
    with running_responder() as address, stations.ledgers() as ledgers:
        for name, url in ledgers.items():
            yield from judged(f"{notes:,} notes on {name}", *steps(url, f"{address}/0", notes // step, step))


def judged(what: str, seconds: list[float], resident_mb: list[float]) -> Iterator[Row]:
    """Yield the result from the seconds of each step and the megabytes after it."""
    part = min(PART, len(seconds) // 2)
    first, last = statistics.median(seconds[:part]), statistics.median(seconds[-part:])
    text = f"{first:.2f} s for each step at first, {last:.2f} s at last"
    yield Row("P11", what, last / first, 1.15, "the first tenth", is_ceiling=True, remarks=(text,))
    flat = resident_mb[-1] / resident_mb[part - 1]
    text = f"{resident_mb[part - 1]:.0f} MB after the first tenth, {resident_mb[-1]:.0f} MB at last"
    yield Row("P11", "memory of that", flat, 1.10, "the first tenth", is_ceiling=True, remarks=(text,))


def steps(ledger_url: str, base_url: str, count: int, step: int, *, first: int = 0) -> tuple[list[float], list[float]]:
    """Stage `step` notes `count` times, after `first` earlier times.

    Return the seconds of each step, and the megabytes in memory after it.
    """
    seconds, resident_mb = [], []
    for number in range(first, first + count):
        work = stations.stage(
            ledger_url, base_url, f"step {number}", count=step, batch_size=_BATCH_SIZE, in_flight=_IN_FLIGHT
        )
        wall, _ = asyncio.run(work)
        seconds.append(wall)
        resident_mb.append(_resident_mb())
    return seconds, resident_mb


def _resident_mb() -> float:
    line = next(line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
