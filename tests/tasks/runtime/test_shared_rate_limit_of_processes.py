"""Workers as real processes on one ledger: one limit in flight, one pace, one pause after a 429, one rest."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import pytest

from connectors.http.errors import ConnectorError, Resting
from connectors.issuers import NFSE
from connectors.ledger import rate_limits, request_slots
from tasks.runtime import open_runtime
from tests.faults.theatre import PROCESSES
from tests.tasks.workshop import PROFILE, Workshop, fault, nfse_of

pytestmark = pytest.mark.both_databases

_PATIENCE_S = 300.0
_IN_FLIGHT = 6


def work(environment: dict[str, str], wire: Connection) -> None:
    """Run the process: send the requested number of requests and report the results."""
    os.environ.update(environment)
    asyncio.run(_work(wire))


async def _work(wire: Connection) -> None:
    async with open_runtime(PROFILE, station="test") as runtime:
        gate = asyncio.Semaphore(_IN_FLIGHT)

        async def ask() -> str:
            async with gate:
                try:
                    await nfse_of(runtime).batches.read(1)
                except ConnectorError as error:
                    return type(error).__name__
            raise AssertionError("there is no such batch")

        while count := await asyncio.to_thread(wire.recv):
            wire.send(Counter(await asyncio.gather(*(ask() for _ in range(count)))))


class Crowd:
    """Workers that send requests on order."""

    def __init__(self, wires: list[Connection]) -> None:
        self.wires = wires

    def ask(self, count: int) -> Counter[str]:
        """Let all of them send this many requests at once. Return the results by kind."""
        for wire in self.wires:
            wire.send(count)
        return sum((heard(wire) for wire in self.wires), Counter[str]())


def heard(wire: Connection) -> Counter[str]:
    assert wire.poll(_PATIENCE_S), "a worker says nothing"
    counts: Counter[str] = wire.recv()
    return counts


@pytest.fixture
def crowd(each_shop: Workshop) -> Callable[..., Any]:
    @contextmanager
    def gather(count: int, **settings: object) -> Iterator[Crowd]:
        each_shop.set(NFSE__IN_FLIGHT=_IN_FLIGHT, **settings)
        environment = {name: value for name, value in os.environ.items() if name.startswith("FATURISTA_")}
        pairs = [PROCESSES.Pipe() for _ in range(count)]
        workers = [PROCESSES.Process(target=work, args=(environment, theirs)) for _, theirs in pairs]
        for worker in workers:
            worker.start()
        try:
            gathered = Crowd([ours for ours, _ in pairs])
            yield gathered
            for wire in gathered.wires:
                wire.send(0)
            for worker in workers:
                worker.join(_PATIENCE_S)
                assert worker.exitcode == 0
        finally:
            for worker in workers:
                worker.kill()

    return gather


def arrivals(shop: Workshop) -> list[float]:
    """Return when the provider got each request, in seconds."""
    return sorted(each["at"] for each in shop.record()["requests"] if each["operation"] == "batches.read")


def test_together_they_never_ask_faster_than_the_account_may(each_shop: Workshop, crowd):
    per_s = 100
    with crowd(3, NFSE__PACE__PER_MINUTE=60 * per_s) as workers:
        assert workers.ask(30) == {"NotFound": 90}
    at = arrivals(each_shop)
    # On a busy machine several requests may arrive together, but no turn is given twice.
    under_way = 3 * _IN_FLIGHT
    for span in (0.1, 0.2, 0.4):
        most = max(sum(first <= other < first + span for other in at) for first in at)
        assert most <= span * per_s + under_way
    assert at[-1] - at[0] >= (len(at) - under_way) / per_s


def test_together_they_never_have_more_in_flight_than_the_limit(each_shop: Workshop, crowd):
    latency_s = 0.2
    each_shop.sandbox.switch(fixed_latency_ms=1_000 * latency_s)
    with crowd(3) as workers:
        first, *others = workers.wires
        first.send(30)
        # the others join while the first one has the whole limit, and leave again
        for wire in others:
            wire.send(15)
        assert sum((heard(wire) for wire in workers.wires), Counter[str]()) == {"NotFound": 60}
        others[0].send(0)
        first.send(20)
        assert heard(first) == {"NotFound": 20}
        workers.wires.remove(others[0])
    at = arrivals(each_shop)
    # the emulator answers each request `latency_s` after its arrival
    most = max(sum(first <= other < first + latency_s for other in at) for first in at)
    assert len(at) == 80
    assert most == _IN_FLIGHT
    assert each_shop.read(request_slots.sessions_by_system) == []


def test_a_429_to_one_worker_slows_all_of_them(each_shop: Workshop, crowd):
    shop = each_shop
    with crowd(2, NFSE__PACE__PER_MINUTE=24_000, NFSE__PACE__LEAST_PER_MINUTE=6_000) as workers:
        workers.ask(1)
        shop.sandbox.faults(fault("batches.read", "status_429", seconds=1))
        assert workers.ask(10) == {"NotFound": 19, "Busy": 1}
        # More requests than either worker can have turns for.
        assert workers.ask(20) == {"NotFound": 40}
    assert [rate.per_minute for rate in shop.read(rate_limits.slowed_systems)] == [12_000]
    at = arrivals(shop)
    assert at[-1] - at[2] >= 1


def test_a_rest_that_one_of_them_takes_is_everybodys(each_shop: Workshop, crowd):
    shop = each_shop
    with crowd(2, NFSE__PACE__RESTS_S="[600]", NFSE__PACE__FAILURES_BEFORE_REST=4) as workers:
        assert workers.ask(1) == {"NotFound": 2}
        failing, other = workers.wires
        shop.sandbox.faults(fault("batches.read", "status_500", count=10_000))
        failing.send(40)
        assert heard(failing)[Resting.__name__] > 0
        shop.sandbox.faults()
        end = time.monotonic() + _PATIENCE_S
        while Resting.__name__ not in _counts_of(other):
            assert time.monotonic() < end, "it goes on asking"
        asked = len(arrivals(shop))
        assert workers.ask(5) == {"Resting": 10}
        assert len(arrivals(shop)) == asked
    rate = shop.read(rate_limits.rate_state_of, NFSE)
    assert rate is not None
    assert rate.rests == 1


def _counts_of(wire: Connection) -> Counter[str]:
    wire.send(1)
    return heard(wire)
