"""From a sheet to its outcome workbook through the same stations, for every issuer, with lost answers and kills."""

import random
import time
from pathlib import Path
from typing import Final

from tests.conformance.setups import EACH, EACH_THE_OTHER_WAY, Setup, on
from tests.faults.theatre import rule

_LONGEST_PAUSE_S: Final = 0.03
_A_MOMENT_S: Final = 0.3
"""A moment after the worker gave up on an answer, and still within the quiet time."""


@EACH
def test_each_good_row_has_one_invoice_each_bad_row_a_reason(setup: Setup) -> None:
    ledger = setup.finish_story(setup.offer(12))

    assert {attempt["outcome"] for attempt in ledger["attempts"]} == {"done"}
    assert ledger["incidents"] == []


@EACH_THE_OTHER_WAY
def test_a_second_run_posts_nothing(setup: Setup) -> None:
    sheet = setup.offer(4)
    setup.run(sheet)
    posts = setup.seen(*setup.posts)

    setup.finish_story(sheet)

    assert setup.seen(*setup.posts) == posts


@EACH
def test_a_lost_answer_is_looked_up_and_never_posted_twice(setup: Setup) -> None:
    lost = [rule(post, "lose_answer", share=0.4, seed=place) for place, post in enumerate(setup.posts)]
    setup.sandbox.faults(*lost)

    ledger = setup.finish_story(setup.offer(12))

    assert {attempt["outcome"] for attempt in ledger["attempts"]} == {"done", "in_doubt"}
    assert setup.seen(*setup.posts) == sum(setup.asked.values())


@EACH_THE_OTHER_WAY
def test_a_post_that_never_arrived_is_posted_again(setup: Setup) -> None:
    setup.sandbox.faults(rule(setup.posts[0], "close_after", after=1, count=2))

    setup.finish_story(setup.offer(8))

    assert setup.seen(*setup.posts) == sum(setup.asked.values()) + 2


@EACH
def test_a_post_that_arrives_late_is_found(setup: Setup) -> None:
    assert setup.quiet_s > _A_MOMENT_S
    setup.sandbox.faults(rule(setup.posts[0], "held", seconds=_A_MOMENT_S, share=0.4, seed=2))

    setup.finish_story(setup.offer(10))

    assert setup.seen(*setup.posts) == sum(setup.asked.values())


@EACH_THE_OTHER_WAY
def test_a_worker_killed_at_every_boundary_issues_nothing_twice(setup: Setup) -> None:
    sheet, chance = setup.offer(16), random.Random(20261122)

    killed = sum(_kill_at(setup, sheet, each, pause_s=chance.random() * _LONGEST_PAUSE_S) for each in setup.boundaries)

    assert killed >= len(setup.boundaries) // 2, setup.logs()
    setup.finish_story(sheet)


def _kill_at(setup: Setup, sheet: Path, operation: str, *, pause_s: float) -> bool:
    """SIGKILL a moment after the next request of this operation; return False if the worker ended before it."""
    before = setup.seen(operation)
    process = setup.start_alone(sheet)
    has_come = setup.until(lambda: setup.seen(operation) > before, process)
    time.sleep(pause_s)
    process.kill()
    setup.finish(process)
    setup.check_sound()
    setup.decide()
    return has_come


@on(("national", "sqlite"), ("national", "postgresql"))
def test_a_key_taken_before_is_looked_up_and_refuses_no_row(setup: Setup) -> None:
    """The first post arrives after the look-up found it absent, just before the second post."""
    setup.sandbox.faults(rule("declare", "held", count=1), rule("declare", "release", after=1, count=1))

    ledger = setup.finish_story(setup.offer(1))

    assert setup.sandbox.record()["refused"] == {"E0014": 1}
    assert [each["state"] for each in ledger["invoices"]] == ["accepted"]
    assert setup.seen("declare") == 2
