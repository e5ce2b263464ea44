"""The rate limit that all workers of a system share, on both databases."""

import time
from datetime import timedelta

import pytest
import sqlalchemy as sa

from connectors.ledger import rate_limits, tables

SYSTEM = "nfse"


def take(ledger, count=1, most=None):
    return ledger.write(rate_limits.take_turns, SYSTEM, count=count, most_per_minute=most, probe_s=30)


def pass_time(ledger, seconds):
    """Age the rate limit by this many seconds."""
    back = timedelta(seconds=seconds)

    def shift(conn):
        rate = rate_limits.rate_state_of(conn, SYSTEM)
        assert rate is not None
        names = ("next_at", "slowed_at", "resting_since", "resting_until")
        earlier = {name: getattr(rate, name) - back for name in names if getattr(rate, name) is not None}
        conn.execute(sa.update(tables.rate_limits).values(**earlier))

    ledger.write(shift)


def slow(ledger, seen=1_200, pause_s=0.0, most=None):
    return ledger.write(
        rate_limits.slow_down, SYSTEM, seen_per_minute=seen, most_per_minute=most, least_per_minute=30, pause_s=pause_s
    )


def rest(ledger):
    return ledger.write(rate_limits.pause_system, SYSTEM, waits_s=[5, 15, 60], because="provider.broken")


def test_without_a_setting_nobody_waits(ledger):
    assert rate_limits.is_free(ledger.read(rate_limits.rate_state_of, SYSTEM), most_per_minute=None)
    assert take(ledger, 100).every_s == 0
    assert take(ledger).begin_s == 0


def test_turns_follow_one_another_whoever_takes_them(ledger):
    first, second = take(ledger, 10, most=60), take(ledger, 5, most=60)
    assert (first.begin_s, first.every_s) == (pytest.approx(0, abs=0.1), 1.0)
    assert second.begin_s == pytest.approx(10, abs=2)


def test_turns_that_nobody_took_are_not_saved_up(ledger):
    take(ledger, 1, most=60)
    pass_time(ledger, 600)
    assert take(ledger, 1, most=60).begin_s == pytest.approx(0, abs=0.1)


def test_a_429_halves_the_pace_after_the_pause(ledger):
    assert slow(ledger, seen=1_200, pause_s=20) == 600
    given = take(ledger)
    assert given.every_s == pytest.approx(0.1)
    assert given.begin_s == pytest.approx(20, abs=2)
    assert [rate.per_minute for rate in ledger.read(rate_limits.slowed_systems)] == [600]


def test_simultaneous_429s_slow_down_once(ledger):
    """Requests under way at the first 429 get one as well; only the pause may grow."""
    assert [slow(ledger, seen=1_200), slow(ledger, seen=900, pause_s=9), slow(ledger, seen=5)] == [600] * 3
    assert take(ledger).begin_s == pytest.approx(9, abs=2)
    pass_time(ledger, 3)
    assert slow(ledger) == 300


@pytest.mark.parametrize("most", [None, 900])
def test_a_shared_pace_is_halved_for_few_requests_too(ledger, most):
    """One of many workers, or a new one, sees only part of all requests."""
    if most is None:
        assert slow(ledger, seen=900) == 450
        pass_time(ledger, 3)
        assert slow(ledger, seen=1) == 225
    else:
        assert slow(ledger, seen=1, most=most) == 450


def test_never_slower_than_the_setting_says(ledger):
    for _ in range(9):
        slow(ledger)
        pass_time(ledger, 3)
    assert take(ledger).every_s == pytest.approx(2.0)


def test_the_pace_rises_each_minute_until_it_is_forgotten(ledger):
    slow(ledger, seen=200)
    pass_time(ledger, 65)
    assert 60 / take(ledger).every_s == pytest.approx(126)
    pass_time(ledger, 130)
    assert 60 / take(ledger).every_s == pytest.approx(197, abs=1)
    pass_time(ledger, 700)
    assert take(ledger).every_s == 0
    assert ledger.read(rate_limits.slowed_systems) == []


def test_an_idle_line_is_shown_as_its_next_request_finds_it(ledger):
    slow(ledger, seen=200)
    pass_time(ledger, 130)
    assert [rate.per_minute for rate in ledger.read(rate_limits.slowed_systems)] == [157]
    pass_time(ledger, 700)
    assert ledger.read(rate_limits.slowed_systems) == []


def test_a_pace_above_all_demand_is_forgotten(ledger):
    slow(ledger, seen=100_000)
    pass_time(ledger, 65)
    assert take(ledger).every_s == 0
    assert ledger.read(rate_limits.slowed_systems) == []


@pytest.mark.parametrize("most", [None, 60])
@pytest.mark.parametrize("left_s", [2_900, 20])
def test_a_long_pause_is_kept_to_its_end(ledger, left_s, most):
    """The pause is longer than the time until a rate is forgotten; requests meanwhile do not make it longer."""
    before = time.monotonic()
    slow(ledger, pause_s=3_600, most=most)
    pass_time(ledger, 3_600 - left_s)
    after = time.monotonic()
    for _ in range(50):
        asked = time.monotonic()
        given = take(ledger, most=most)
        wait_s = given.begin_s + given.rest_s
        # relative to both moments between which the pause began, however slow the machine is
        assert time.monotonic() - before + wait_s >= left_s
        assert asked - after + wait_s < max(left_s, asked - after + 31) + 2
        assert given.every_s or given.rest_s
    assert bool(ledger.read(rate_limits.paused_on_request)) or left_s < 30
    assert bool(ledger.read(rate_limits.silent_systems)) or left_s < 30
    pass_time(ledger, left_s + 90)
    assert take(ledger, most=most).begin_s == pytest.approx(0, abs=0.1)


def test_the_setting_is_the_most_it_is_ever_raised_to(ledger):
    slow(ledger, seen=200)
    pass_time(ledger, 300)
    assert 60 / take(ledger, most=150).every_s == pytest.approx(150)


def test_while_it_rests_nobody_gets_a_turn(ledger):
    assert rest(ledger) == 5
    assert take(ledger).rest_s == pytest.approx(5, abs=1)
    (rate,) = ledger.read(rate_limits.paused_after_failures)
    assert ledger.read(rate_limits.silent_systems) == {SYSTEM}
    assert (rate.system, rate.because) == (SYSTEM, "provider.broken")


def test_several_workers_that_fail_at_once_are_one_rest(ledger):
    rest(ledger)
    assert rest(ledger) <= 5
    rate = ledger.read(rate_limits.rate_state_of, SYSTEM)
    assert rate is not None
    assert rate.rests == 1


def test_after_the_rest_one_tries_and_the_others_rest_on(ledger):
    rest(ledger)
    pass_time(ledger, 6)
    assert take(ledger).is_probe
    assert take(ledger).rest_s > 20
    ledger.write(rate_limits.record_recovery, SYSTEM)
    assert take(ledger) == rate_limits.Granted()
    assert rate_limits.is_free(ledger.read(rate_limits.rate_state_of, SYSTEM), most_per_minute=None)


def test_a_probe_that_fails_means_a_longer_rest(ledger):
    waits = [rest(ledger)]
    for _ in range(3):
        pass_time(ledger, waits[-1] + 1)
        assert take(ledger).is_probe
        waits.append(rest(ledger))
    assert waits == [5, 15, 60, 60]


@pytest.mark.parametrize("trouble", ["rest", "pause", "queue"])
def test_a_clock_set_back_makes_nobody_wait(ledger, trouble):
    most = 60 if trouble == "queue" else None
    if trouble == "rest":
        rest(ledger)
    elif trouble == "pause":
        slow(ledger, pause_s=100)
    else:
        take(ledger, most=most)
    pass_time(ledger, -7_200)
    assert ledger.read(rate_limits.paused_after_failures) == ledger.read(rate_limits.paused_on_request) == []
    assert ledger.read(rate_limits.silent_systems) == frozenset()
    given = take(ledger, most=most)
    assert (given.rest_s, given.is_probe) == (0, False)
    assert given.begin_s == pytest.approx(0, abs=0.1)


def test_a_clock_that_was_corrected_a_little_shortens_no_pause(ledger):
    slow(ledger, pause_s=100)
    pass_time(ledger, -30)
    assert take(ledger).rest_s == pytest.approx(130, abs=2)
