"""A station that met an unavailable ledger is repeated, and its failure is raised where the repetition did nothing."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from connectors.ledger import leases
from connectors.ledger.engine import LedgerUnavailable
from domain.states import BatchState
from domain.station_result import Ending, StationResult
from flows.runner import DirectRunner
from tasks import entries
from tests.tasks.workshop import PROFILE, Workshop


@pytest.fixture
def released(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[int], object]], list[StationResult]]:
    """Return what releases a batch while the ledger is locked, until the pause before the repetition."""
    batch = shop.approved(2)
    shop.set(LEDGER__LOCK_WAIT_S="0.05")
    sleep = asyncio.sleep

    def release(in_the_pause: Callable[[int], object]) -> list[StationResult]:
        with closing(sqlite3.connect(shop.ledger_url.removeprefix("sqlite:///"), isolation_level=None)) as other:

            async def pause(seconds: float) -> None:
                if seconds != entries.REPEAT_DELAY_S:
                    await sleep(seconds)
                elif other.in_transaction:
                    other.execute("ROLLBACK")
                    in_the_pause(batch)

            monkeypatch.setattr(asyncio, "sleep", pause)
            other.execute("BEGIN IMMEDIATE")
            return asyncio.run(DirectRunner().run(entries.release, PROFILE, [batch]))

    return release


def test_a_station_is_repeated_when_the_ledger_is_back(released: Callable[..., list[StationResult]]):
    (result,) = released(lambda _batch: None)
    assert (result.ending, result.counts) == (Ending.DONE, {"sent": 2})


def test_work_that_its_failed_attempt_holds_is_no_success(shop: Workshop, released: Callable[..., list[StationResult]]):
    def hold(batch: int) -> None:
        states = {BatchState.APPROVED}
        assert shop.write(leases.claim, batch, owner="the failed attempt", seconds=60, states=states) is not None

    with pytest.raises(LedgerUnavailable) as caught:
        released(hold)
    assert caught.value.problem.code == "ledger.locked"
