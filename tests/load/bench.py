"""`make bench`: how much of a bare loop's speed is left when every invoice is kept exactly once.

A ratio is taken of two times measured one shortly after the other in the same round; printed is the median of the
rounds. A time from here means nothing elsewhere, and a ratio little while others use the machine.
"""

import argparse
import asyncio
import gc
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.load import loops, stations, workload
from tests.load.responder import running_responder

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
STOCK_ROUNDS: Final = 2
# A batch is opened, its first note posted alone, and at last counted: nothing else of it can happen meanwhile.
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
            print(f"  round {number + 1} of {size.rounds}", flush=True)
    return times


async def _looped(name: str, base_url: str, bodies: list[bytes], size: Size) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    await LOOPS[name](base_url, bodies, size.in_flight)
    return time.perf_counter() - wall, time.process_time() - cpu


async def _staged(ledger_url: str, base_url: str, name: str, size: Size) -> Spent:
    return await stations.stage(
        ledger_url, base_url, name, count=size.notes, batch_size=BATCH_SIZE, in_flight=size.in_flight
    )


def show(times: Times) -> None:
    size = times.size
    print(f"\n    {f'stage {size.notes} notes, {size.in_flight} in flight':36}{'against':33}ratio   target")
    for number, latency_ms, base, target, stretch in (
        ("P1", SLOW_MS, BARE, 0.95, ""),
        ("P1", AT_ONCE_MS, BARE, 0.75, " (0.85)"),
        ("P2", SLOW_MS, STOCK, 5.0, ""),
    ):
        for name in DATABASES:
            ratio = times.ratio(latency_ms, name, base)
            verdict = "meets" if ratio >= target else "falls short"
            line = f"{number}  {f'{name}, {latency_ms} ms latency':36}{base:32}{ratio:6.2f}"
            print(f"{line}   {f'≥ {target:.2f}{stretch}':15}{verdict}")
    print("\nFor comparison, without a target")
    for latency_ms in LATENCIES_MS:
        for name in DATABASES:
            for base in (CLIENT, SMALL_CLIENTS):
                ratio = times.ratio(latency_ms, name, base)
                print(f"    {f'{name}, {latency_ms} ms latency':36}{base:32}{ratio:6.2f}")
    _show_reasons(times)


def _show_reasons(times: Times) -> None:
    """What the station spends beyond the bare loop, as far as it can be told apart by measuring."""
    print("\nWhat holds it back")
    bare, client = (times.cpu_micros(AT_ONCE_MS, name) for name in (BARE, CLIENT))
    alone_s = LONE_ROUND_TRIPS * times.size.batches * SLOW_MS / 1_000
    for name in DATABASES:
        more_s = times.wall(SLOW_MS, name) - times.wall(SLOW_MS, BARE)
        print(
            f"    {name}, {SLOW_MS} ms: {more_s:.2f} s more than the bare loop's {times.wall(SLOW_MS, BARE):.2f} s; "
            f"{alone_s:.2f} s of it are the {LONE_ROUND_TRIPS} round trips that\n"
            f"      each of {times.size.batches} batches makes alone (opened, first note, counted), which more notes "
            f"do not make longer"
        )
        print(
            f"    {name}, {AT_ONCE_MS} ms: CPU a note: {bare:.0f} µs in the transport; {client - bare:+.0f} µs for "
            f"deadline, trace and reading the answer;\n"
            f"      {times.cpu_micros(AT_ONCE_MS, name) - client:+.0f} µs for ledger, bodies, comparisons and digests"
        )
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > cores:
        print(f"\nThe machine was busy with other things (load {load:.1f} on {cores} cores): measure again.")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--notes", type=int, default=1_000)
    asked.add_argument("--in-flight", type=int, default=64)
    asked.add_argument("--rounds", type=int, default=5)
    size = Size(**vars(asked.parse_args()))
    print(f"{size.rounds} rounds of {size.notes} notes in {size.batches} batches: about two minutes", flush=True)
    show(measure(size))


if __name__ == "__main__":
    main()
