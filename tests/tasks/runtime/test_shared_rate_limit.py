"""A failing provider, over the wire: work stops early, reports the reason, and continues automatically."""

import asyncio

import pytest

from connectors.http.errors import ConnectorError, Resting
from connectors.issuers import NFSE
from connectors.ledger import rate_limits, request_slots
from connectors.ledger.request_slots import SlotRequest
from domain.station_result import Ending
from tasks.runtime import open_runtime
from tasks.stations.stage import stage_batch
from tasks.views.due_work import due_batches, paused_systems
from tasks.views.status import overview
from tests.ageing import age
from tests.tasks.workshop import PROFILE, fault, nfse_of, remarks

pytestmark = pytest.mark.both_databases

_REST_S = 600


def fail(shop, requests):
    """Send this many reads that nobody answers. Return how many reached the provider."""

    async def ask(runtime):
        for _ in range(requests):
            with pytest.raises(ConnectorError):
                await nfse_of(runtime).batches.read(1)

    before = shop.asked("batches.read")
    shop.run(ask)
    return shop.asked("batches.read") - before


def notices(shop):
    with shop.context() as context:
        return [notice.code for notice in overview(context).notices]


def until_awake(shop):
    """Wait until the rest, and the quiet time of every doubt, are over."""
    shop.write(age, _REST_S + 1)
    with shop.context() as context:
        assert not paused_systems(context)


def test_repeated_failures_pause_requests_and_are_reported(each_shop):
    shop = each_shop
    shop.set(NFSE__PACE__RESTS_S=f"[{_REST_S}]", NFSE__PACE__FAILURES_BEFORE_REST=4)
    planned = shop.planned(2)
    shop.sandbox.faults(fault("batches.read", "status_500", count=99))
    assert fail(shop, 9) == 4
    with shop.context() as context:
        assert paused_systems(context) == {NFSE}
        assert due_batches(context, "stage") == []
    assert notices(shop) == ["system.resting"]
    asked = sum(shop.record()["requests_by_operation"].values())
    with pytest.raises(Resting):
        shop.run(ask_once)
    result = shop.run(stage_batch, planned)
    assert (result.ending, remarks(result)) == (Ending.WAITING, ["provider.resting"])
    assert sum(shop.record()["requests_by_operation"].values()) == asked


async def ask_once(runtime):
    return await nfse_of(runtime).emitters.find("99000001000101")


def test_when_it_answers_again_work_goes_on_by_itself(shop):
    shop.set(NFSE__PACE__RESTS_S=f"[{_REST_S}]", NFSE__PACE__FAILURES_BEFORE_REST=4)
    planned = shop.planned(3)
    shop.sandbox.faults(fault("batches.read", "status_500", count=5))
    assert fail(shop, 9) == 4
    until_awake(shop)
    # The probe fails, too.
    assert fail(shop, 3) == 1
    until_awake(shop)
    shop.run(ask_once)
    assert notices(shop) == []
    assert shop.run(stage_batch, planned).ending is Ending.DONE
    assert [note["number"] for note in shop.there()] == [1, 2, 3]


def test_an_outage_during_a_batch_costs_only_time(shop):
    shop.set(NFSE__PACE__RESTS_S=f"[{_REST_S}]", NFSE__PACE__FAILURES_BEFORE_REST=3, NFSE__IN_FLIGHT=1)
    batch = shop.planned(12)
    shop.sandbox.faults(fault("notes.create", "reset_before", after=4, count=3))
    result = shop.run(stage_batch, batch)
    assert result.ending is Ending.WAITING
    states = [str(state) for state in shop.states(batch)]
    assert states.count("in_doubt") == 3
    assert states.count("reserved") == 5
    for _ in range(12):
        until_awake(shop)
        shop.run(stage_batch, batch)
        if shop.batch(batch).state == "staged":
            break
    assert [note["number"] for note in shop.there()] == list(range(1, 13))
    assert shop.record()["violations"] == []


def test_a_429_is_honoured_by_every_worker(each_shop):
    shop = each_shop
    shop.planned(1)
    shop.sandbox.faults(fault("batches.read", "status_429", seconds=120))
    assert fail(shop, 1) == 1
    assert notices(shop) == ["system.paused", "system.slowed"]
    with shop.context() as context:
        assert due_batches(context, "stage") == []
    with pytest.raises(Resting) as caught:
        shop.run(ask_once)
    assert 60 < (caught.value.retry_after or 0) <= 120


def test_a_retry_after_of_a_day_is_bounded(shop):
    shop.set(NFSE__PACE__LONGEST_PAUSE_S=40)
    shop.planned(1)
    shop.sandbox.faults(fault("batches.read", "status_429", seconds=86_400))
    fail(shop, 1)
    with pytest.raises(Resting) as caught:
        shop.run(ask_once)
    assert 0 < (caught.value.retry_after or 0) <= 40


def test_workers_share_one_pace(each_shop):
    """Two runtimes, like two processes, get turns one after the other."""
    shop = each_shop
    shop.set(NFSE__PACE__PER_MINUTE=1_200)

    async def ask(times):
        async with open_runtime(PROFILE, station="test") as runtime:
            for _ in range(times):
                await nfse_of(runtime).emitters.find("99000001000101")

    async def both():
        await asyncio.gather(ask(10), ask(10))

    shop.planned(1)
    before = shop.read(rate_limits.rate_state_of, NFSE).next_at
    asyncio.run(both())
    after = shop.read(rate_limits.rate_state_of, NFSE).next_at
    # 20 requests; none began before its turn.
    assert (after - before).total_seconds() >= 20 * 0.05


def test_more_processes_than_requests_in_flight_are_reported(shop):
    shop.set(NFSE__IN_FLIGHT=1)
    asked = SlotRequest(in_use=0, limit=1, request_timeout_s=20.0)
    shop.write(request_slots.take_share, NFSE, "one", asked)
    assert notices(shop) == []
    shop.write(request_slots.take_share, NFSE, "another", asked)
    assert notices(shop) == ["system.crowded"]


def test_with_a_pace_there_is_one_question_for_a_group(shop):
    shop.set(NFSE__PACE__PER_MINUTE=60_000)
    batch = shop.planned(40)
    assert shop.run(stage_batch, batch).ending is Ending.DONE
    assert len(shop.there()) == 40
