"""P1 and P2: how much of a bare loop's speed is left when every note is staged exactly once."""

import asyncio
import gc
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping
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
# Slow, and far from its target: fewer rounds do.
STOCK_ROUNDS: Final = 1
# A batch is opened, its first note posted alone, and at last counted: only other batches' notes go out meanwhile.
LONE_ROUND_TRIPS: Final = 3

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
        """How many times as fast as `base`."""
        pairs = zip(self.spent[latency_ms, base], self.spent[latency_ms, name], strict=False)
        return statistics.median(theirs / ours for (theirs, _), (ours, _) in pairs)

    def wall(self, latency_ms: int, name: str) -> float:
        return statistics.median(wall for wall, _ in self.spent[latency_ms, name])

    def cpu_micros(self, latency_ms: int, name: str) -> float:
        """CPU of one note, in microseconds."""
        return statistics.median(cpu for _, cpu in self.spent[latency_ms, name]) / self.size.notes * 1e6


def measure(size: Size) -> Times:
    times, bodies = Times(size), workload.bodies(size.notes)
    with running_responder() as address, stations.ledgers() as ledgers:
        for number in range(size.rounds):
            for latency_ms in LATENCIES_MS:
                base_url = f"{address}/{latency_ms}"
                for name in LOOPS:
                    if name != STOCK or (latency_ms == SLOW_MS and number < STOCK_ROUNDS):
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


def rows(size: Size = Size(notes=5_000, in_flight=64, rounds=3)) -> Iterator[Row]:
    """About four minutes. Fewer notes make fewer batches, and a batch begins and ends with round trips of its own."""
    yield from judged(measure(size))


def judged(times: Times) -> Iterator[Row]:
    for number, latency_ms, base, target, stretch in (
        ("P1", SLOW_MS, BARE, 0.95, ""),
        ("P1", AT_ONCE_MS, BARE, 0.75, " (0.85)"),
        ("P2", SLOW_MS, STOCK, 5.0, ""),
    ):
        for name in DATABASES:
            why = _reasons(times, latency_ms, name) if number == "P1" else ()
            ratio = times.ratio(latency_ms, name, base)
            what = _what(times, latency_ms, name)
            yield Row(number, what, ratio, target, against=base, stretch=stretch, remarks=why)
    for latency_ms in LATENCIES_MS:
        for name in DATABASES:
            for base in (CLIENT, SMALL_CLIENTS):
                ratio = times.ratio(latency_ms, name, base)
                yield Row("", _what(times, latency_ms, name), ratio, against=base)


def _what(times: Times, latency_ms: int, database: str) -> str:
    return f"stage {times.size.notes} notes, {times.size.in_flight} in flight, {latency_ms} ms, {database}"


def _reasons(times: Times, latency_ms: int, database: str) -> tuple[str, ...]:
    """What the station spends beyond the bare loop, as far as it can be told apart by measuring."""
    if latency_ms:
        bare_s = times.wall(latency_ms, BARE)
        more_s, batches = times.wall(latency_ms, database) - bare_s, times.size.batches
        alone_s = LONE_ROUND_TRIPS * batches * latency_ms / 1_000
        return (
            f"{more_s:.2f} s more than the bare loop's {bare_s:.2f} s; of each of {batches} batches {LONE_ROUND_TRIPS}",
            f"round trips (opened, first note, counted) are alone: {alone_s:.2f} s, in which only others' notes go out",
        )
    bare, client, ours = (times.cpu_micros(latency_ms, name) for name in (BARE, CLIENT, database))
    return (
        f"CPU a note: {bare:.0f} µs in the transport; {client - bare:+.0f} µs for deadline, trace, reading the answer;",
        f"{ours - client:+.0f} µs for ledger, bodies, comparisons and digests",
    )
