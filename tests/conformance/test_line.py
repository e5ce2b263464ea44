"""From a sheet to its outcome workbook through the same stations, for every issuer, with lost answers and kills."""

import random
import signal
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
    sheet, other, chance = setup.offer(9), setup.offer(9, part=1), random.Random(20261122)

    for each in setup.boundaries:
        pause_s = chance.random() * _LONGEST_PAUSE_S
        # An earlier life may have made the first sheet's last request of this kind.
        is_met = any(_kill_at(setup, path, each, pause_s=pause_s) for path in (sheet, other))
        assert is_met, f"no {each}\n{setup.logs()}"

    setup.finish_story(other)


def _kill_at(setup: Setup, sheet: Path, operation: str, *, pause_s: float) -> bool:
    """SIGKILL a moment after the next request of this operation, which gets no answer until then.

    Return False if the worker came to its end without such a request.
    """
    setup.sandbox.faults(rule(operation, "hang"))
    before = setup.seen(operation)
    process = setup.start_alone(sheet)
    if is_met := setup.until(lambda: setup.seen(operation) > before, process):
        time.sleep(pause_s)
        process.kill()
    assert setup.finish(process) == (-signal.SIGKILL if is_met else 0), setup.logs()
    setup.check_sound()
    setup.decide()
    return is_met


@on(("national", "sqlite"), ("national", "postgresql"))
def test_a_key_taken_before_is_looked_up_and_refuses_no_row(setup: Setup) -> None:
    """The first post arrives after the look-up found it absent, just before the second post."""
    setup.sandbox.faults(rule("declare", "held", count=1), rule("declare", "release", after=1, count=1))

    ledger = setup.finish_story(setup.offer(1))

    assert setup.sandbox.record()["refused"] == {"E0014": 1}
    assert [each["state"] for each in ledger["invoices"]] == ["accepted"]
    assert setup.seen("declare") == 2
