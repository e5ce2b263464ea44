"""When a request may begin: at once while all is well, in turns at a set pace, one probe after a rest."""

import asyncio

import pytest

from connectors.http.errors import Broken, Busy, Doubtful, Refused, Resting, TooLate, Unreachable
from connectors.http.throttle import Streak, Throttle, Turns


class Slate:
    """A shared rate limit in memory, for one system."""

    def __init__(self, **turns):
        self.turns_given = turns
        self.asked, self.slowed, self.rests, self.recovered = [], [], [], 0

    async def turns(self, count):
        self.asked.append(count)
        turns = Turns(count=count, **self.turns_given)
        self.turns_given.pop("is_probe", None)
        return turns

    async def slow_down(self, *, seen_per_minute, pause_s):
        self.slowed.append((seen_per_minute, pause_s))

    async def rest(self, because):
        self.rests.append(because)
        return 5.0

    async def recover(self):
        self.recovered += 1


class ManualClock:
    """A clock that the test moves."""

    at = 100.0

    def __call__(self):
        return self.at


def governed(slate, work, **settings):
    clock = ManualClock()
    settings = {"failures_before_rest": 3, "clock": clock, **settings}

    async def run():
        return await work(Throttle(slate, Streak(), **settings), clock)

    return asyncio.run(run())


def test_while_all_is_well_the_board_is_asked_once_a_second():
    slate = Slate()

    async def work(throttle, clock):
        for _ in range(100):
            await throttle.admit("GET x", earlier=0)
            await throttle.record_end(None)
        assert len(slate.asked) == 1
        clock.at += 1.1
        await throttle.admit("GET x", earlier=0)

    governed(slate, work)
    assert len(slate.asked) == 2


def test_turns_are_taken_by_the_group_and_the_groups_grow():
    slate = Slate(every_s=0.0001)

    async def work(throttle, clock):
        for _ in range(200):
            await throttle.admit("GET x", earlier=0)
            clock.at += 0.001

    governed(slate, work)
    assert slate.asked == [1, 2, 4, 8, 16, 32, 64, 64, 64]


def test_a_turn_that_is_far_away_is_not_waited_for():
    slate = Slate(every_s=1.0, begin_s=45.0)

    async def work(throttle, clock):
        with pytest.raises(Resting) as caught:
            await throttle.admit("GET x", earlier=2)
        assert caught.value.retry_after == 45.0
        assert caught.value.wire.requests == 2
        assert not caught.value.wire.was_begun

    governed(slate, work)


def test_after_failures_in_a_row_nobody_asks():
    slate = Slate()

    async def work(throttle, clock):
        for kind in (Unreachable, Broken, Doubtful):
            await throttle.admit("GET x", earlier=0)
            await throttle.record_end(kind("GET x"))
        with pytest.raises(Resting) as caught:
            await throttle.admit("GET x", earlier=0)
        assert caught.value.retry_after == pytest.approx(5.0)

    governed(slate, work)
    assert slate.rests == ["provider.doubtful"]


def test_an_answer_between_two_failures_says_that_it_works():
    slate = Slate()

    async def work(throttle, clock):
        for _ in range(4):
            await throttle.record_end(Broken("GET x"))
            await throttle.record_end(Broken("GET x"))
            await throttle.record_end(Refused("GET x"))

    governed(slate, work)
    assert slate.rests == []


def test_a_run_not_started_on_purpose_is_no_failure():
    slate = Slate()

    async def work(throttle, clock):
        for _ in range(9):
            await throttle.record_end(TooLate("POST x"))

    governed(slate, work)
    assert slate.rests == []


@pytest.mark.parametrize(("error", "recovered", "rests"), [(None, 1, 0), (Broken("GET x"), 0, 1)])
def test_one_request_tries_and_the_others_wait_for_it(error, recovered, rests):
    slate = Slate(is_probe=True)

    async def work(throttle, clock):
        await throttle.admit("GET x", earlier=0)
        others = [asyncio.ensure_future(throttle.admit("GET x", earlier=0)) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in others)
        await throttle.record_end(error)
        ended = await asyncio.gather(*others, return_exceptions=True)
        assert all(isinstance(each, Resting) for each in ended) == bool(rests)

    governed(slate, work)
    assert (slate.recovered, len(slate.rests)) == (recovered, rests)


def test_an_abandoned_probe_changes_nothing():
    slate = Slate(is_probe=True)

    async def work(throttle, clock):
        await throttle.admit("GET x", earlier=0)
        throttle.record_abandoned()
        await throttle.admit("GET x", earlier=0)
        await throttle.record_end(None)

    governed(slate, work)
    assert (slate.recovered, slate.rests) == (0, [])


def test_many_that_are_turned_away_together_slow_down_once():
    slate = Slate()

    async def work(throttle, clock):
        for _ in range(20):
            await throttle.admit("GET x", earlier=0)
            await throttle.record_end(None)
        clock.at += 0.5
        for _ in range(5):
            await throttle.record_end(Busy("GET x", retry_after=99_999.0))

    governed(slate, work, longest_pause_s=60.0)
    assert slate.slowed == [(2 * 20 * 60, 60.0)]


def test_requests_before_an_idle_hour_do_not_affect_the_pace():
    slate = Slate()

    async def work(throttle, clock):
        for _ in range(20):
            await throttle.admit("GET x", earlier=0)
            clock.at += 1_000.0
        for _ in range(5):
            await throttle.admit("GET x", earlier=0)
            clock.at += 1.0
        await throttle.record_end(Busy("GET x", retry_after=1.0))

    governed(slate, work)
    assert slate.slowed == [(60, 1.0)]


def test_a_longer_pause_is_asked_for_at_once():
    slate = Slate()

    async def work(throttle, clock):
        for seconds in (1.0, 30.0, 1.0, 30.0):
            await throttle.record_end(Busy("GET x", status=429, retry_after=seconds))

    governed(slate, work)
    assert [pause_s for _, pause_s in slate.slowed] == [1.0, 30.0]


@pytest.mark.parametrize("error", [Busy("GET x", status=503, retry_after=9.0), Doubtful("POST x", retry_after=9.0)])
def test_a_pause_follows_retry_after(error):
    slate = Slate()

    async def work(throttle, clock):
        for _ in range(3):
            await throttle.record_end(error)

    governed(slate, work, failures_before_rest=3)
    assert [pause_s for _, pause_s in slate.slowed] == [9.0]
    assert len(slate.rests) == 1
