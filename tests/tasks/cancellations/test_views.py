"""What people see: the time left, and the progress of a cancellation."""

from datetime import UTC, datetime, timedelta

import pytest

from configs.catalogue import Catalogue
from tasks.cancellations import views
from tasks.cancellations.cancel import cancel_batch
from tasks.cancellations.requests import Candidate
from tasks.views import trace
from tests.tasks.cancellations.requested import REASON, request_cancellation
from tests.tasks.workshop import Workshop, fault

WORDS = Catalogue.load("en")
NOW = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("left", "has_window", "sentence"),
    [
        (timedelta(hours=23, minutes=7, seconds=50), True, "23 h 07 min, until 21/11 11:07"),
        (timedelta(seconds=-1), True, "over since 20/11 11:59"),
        (None, True, "unknown"),
        (None, False, "the city decides"),
    ],
)
def test_the_time_that_is_left(shop: Workshop, left: timedelta | None, has_window: bool, sentence: str):
    (note,) = shop.notes(shop.planned(1))
    until = None if left is None else NOW + left
    one = Candidate(note, "", until, has_window=has_window, problem=None)
    assert views.time_left_text(WORDS, one, NOW) == sentence


def test_each_step_of_a_cancellation_is_shown(shop: Workshop):
    batch = shop.processed(1)

    def outcome() -> str:
        with shop.context() as context:
            (view,) = views.recent(context)
            return views.say_outcome(context.catalogue, view)

    request_cancellation(shop, batch)
    assert outcome() == 'asked for, waits for the issuer; the invoice is "Accepted"'
    shop.sandbox.faults(fault("notes.cancel", "status_422"))
    shop.run(cancel_batch, batch)
    assert outcome().startswith("refused: ")
    with shop.context(ahead=timedelta(days=8)) as context:
        assert views.recent(context) == []
        (story,) = trace.trace_number(context, serie="F", number=1)
    steps = [f"{step.what}: {step.detail}" for step in story.steps]
    assert f"cancellation 1: Ana asked to cancel it: {REASON}" in steps
    assert "cancellation 1: Ana agreed" in steps
    assert any(step.startswith("cancellation 1: refused") for step in steps)
    assert any("cancel the invoice: " in step for step in steps)
