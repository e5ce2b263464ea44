"""Measure P1 and P2: how much of a bare loop's speed is left when every note is staged exactly once."""

import asyncio
import gc
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.load import loops, stations, workload
from tests.load.responder import running_responder
from tests.load.table import Row

SLOW_MS, AT_ONCE_MS = LATENCIES_MS = (50, 0)
BATCH_SIZE: Final = 500
DATABASES: Final = ("SQLite", "PostgreSQL")
LOOPS: Final[Mapping[str, Callable[[str, list[bytes], int], Coroutine[Any, Any, None]]]] = {
    "bare loop, same lanes": loops.post_bare,
    "our client, no ledger": loops.post_by_client,
    "stock clients of 8 connections": loops.post_by_small_clients,
    "one stock client": loops.post_stock,
}
BARE, CLIENT, SMALL_CLIENTS, STOCK = LOOPS
# One round of the slow stock client is enough: it is far from its target.
STOCK_ROUNDS: Final = 1
# A batch is opened, its first note goes alone, and the batch is counted: only other batches' notes go out meanwhile.
LONE_ROUND_TRIPS: Final = 3
_MOST_CPU: Final = 0.5

Spent = tuple[float, float]
"""Wall seconds, CPU seconds of this process."""


@dataclass(frozen=True, slots=True)
class Size:
    notes: int
    in_flight: int
    rounds: int

    @property
    def batches(self) -> int:
        return -(-self.notes // BATCH_SIZE)


@dataclass(frozen=True, slots=True)
class Times:
    """What each round spent, by latency and name."""

    size: Size
    spent: defaultdict[tuple[int, str], list[Spent]] = field(default_factory=lambda: defaultdict(list))

    def take(self, latency_ms: int, name: str, work: Coroutine[Any, Any, Spent]) -> None:
        gc.collect()
        self.spent[latency_ms, name].append(asyncio.run(work))

    def ratio(self, latency_ms: int, name: str, base: str) -> float:
        """Return how many times as fast as `base` it is."""
        pairs = zip(self.spent[latency_ms, base], self.spent[latency_ms, name], strict=False)
        return statistics.median(theirs / ours for (theirs, _), (ours, _) in pairs)

    def wall(self, latency_ms: int, name: str) -> float:
        return statistics.median(wall for wall, _ in self.spent[latency_ms, name])

    def cpu_micros(self, latency_ms: int, name: str) -> float:
        """Return the CPU time of one note, in microseconds."""
        return statistics.median(cpu for _, cpu in self.spent[latency_ms, name]) / self.size.notes * 1e6


def measure(size: Size, loops: Sequence[str], latencies_ms: Sequence[int] = LATENCIES_MS) -> Times:
    """Time these loops and both databases, one after the other in each round."""
    times, bodies = Times(size), workload.bodies(size.notes)
    with running_responder() as address, stations.ledgers() as ledgers:
        for number in range(size.rounds):
            for latency_ms in latencies_ms:
                base_url = f"{address}/{latency_ms}"
                for name in loops:
                    if name != STOCK or number < STOCK_ROUNDS:
                        times.take(latency_ms, name, _looped(name, base_url, bodies, size))
                for name, url in ledgers.items():
                    times.take(latency_ms, name, _staged(url, base_url, f"{name} {latency_ms} {number}", size))
    return times


async def _looped(name: str, base_url: str, bodies: list[bytes], size: Size) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    await LOOPS[name](base_url, bodies, size.in_flight)
    return time.perf_counter() - wall, time.process_time() - cpu


async def _staged(ledger_url: str, base_url: str, name: str, size: Size) -> Spent:
    return await stations.stage(
        ledger_url, base_url, name, count=size.notes, batch_size=BATCH_SIZE, in_flight=size.in_flight
    )


def rows() -> Iterator[Row]:
    """Take about five minutes. Fewer notes make fewer batches, and each batch adds round trips of its own."""
    yield from judged(measure(Size(notes=5_000, in_flight=32, rounds=3), (BARE, CLIENT, SMALL_CLIENTS)))
    yield from judged_wide(measure(Size(notes=5_000, in_flight=64, rounds=1), (BARE, STOCK), (SLOW_MS,)))


def judged(times: Times) -> Iterator[Row]:
    """Judge speed and CPU at the latency of a provider; the other figures are to watch."""
    for name in DATABASES:
        yield _speed("P1", times, SLOW_MS, name, BARE, target=0.90, stretch=" (0.95)", remarks=_waits(times, name))
    for name in DATABASES:
        bare, client, ours = (times.cpu_micros(SLOW_MS, each) for each in (BARE, CLIENT, name))
        yield Row(
            "P1",
            f"CPU a note beyond the transport's, {SLOW_MS} ms, {name}",
            (ours - bare) / bare,
            _MOST_CPU,
            against="the transport's own",
            is_ceiling=True,
            remarks=(
                f"{bare:.0f} µs in the transport; {client - bare:+.0f} µs for deadline, trace, reading the answer;",
                f"{ours - client:+.0f} µs for ledger, bodies, comparisons and digests",
            ),
        )
    for name in DATABASES:
        yield _speed("", times, AT_ONCE_MS, name, BARE)
    for latency_ms in LATENCIES_MS:
        for name in DATABASES:
            for base in (CLIENT, SMALL_CLIENTS):
                yield _speed("", times, latency_ms, name, base)


def judged_wide(times: Times) -> Iterator[Row]:
    """Judge against the loop most people write; the bare loop fills a slow core here, so it is only to watch."""
    for name in DATABASES:
        yield _speed("P2", times, SLOW_MS, name, STOCK, target=5.0)
    for name in DATABASES:
        yield _speed("", times, SLOW_MS, name, BARE)


def _speed(
    number: str,
    times: Times,
    latency_ms: int,
    name: str,
    base: str,
    *,
    target: float | None = None,
    stretch: str = "",
    remarks: tuple[str, ...] = (),
) -> Row:
    ratio, what = times.ratio(latency_ms, name, base), _what(times, latency_ms, name)
    return Row(number, what, ratio, target, against=base, stretch=stretch, remarks=remarks)


def _what(times: Times, latency_ms: int, database: str) -> str:
    return f"stage {times.size.notes} notes, {times.size.in_flight} in flight, {latency_ms} ms, {database}"


def _waits(times: Times, database: str) -> tuple[str, ...]:
    """Explain the wall time beyond the bare loop's."""
    bare_s = times.wall(SLOW_MS, BARE)
    more_s, batches = times.wall(SLOW_MS, database) - bare_s, times.size.batches
    alone_s = LONE_ROUND_TRIPS * batches * SLOW_MS / 1_000
    return (
        f"{more_s:.2f} s more than the bare loop's {bare_s:.2f} s; of each of {batches} batches {LONE_ROUND_TRIPS}",
        f"round trips (opened, first note, counted) are alone: {alone_s:.2f} s, in which only others' notes go out",
    )
