"""The page after a run: it puts waiting work first, explains failures, and lists what was done."""

from datetime import UTC, datetime

from domain.problems import FaturistaError, Problem
from domain.station_result import Ending, StationResult, Subject
from tasks.stations.stage import stage_batch
from tasks.views.dashboard import failure_markdown, run_page_markdown, say_subject
from tests.flows.dashboard import steps
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop


def test_waiting_work_comes_first(shop: Workshop):
    shop.set(APPROVAL__AUTOMATIC="false")
    shop.processed(2)
    (stopped,) = shop.assembled(*lines(1, first=11))[1]
    shop.disturb(stopped)
    (waiting,) = shop.assembled(*lines(1, first=21))[1]
    shop.run(stage_batch, waiting)
    (planned,) = shop.assembled(*lines(1, first=31))[1]
    with shop.context() as context:
        page = run_page_markdown(context, [])
    first, second, third = page.split("\n\n")[1:4]
    assert first.startswith("**1 thing waits for a person**")
    assert second == "**1 batch waits for approval**, R$ 100,21: `faturista approve`."
    assert third == "1 batch goes on by itself."
    numbers = [line.split(" | ")[0].strip("| ") for line in page.partition("## Batches")[2].split("\n")[4:]]
    assert numbers == [str(each) for each in (stopped, waiting, planned)]
    assert f"- **Batch {stopped}** · Reason: " in page.partition("## What waits for a person")[2]
    assert "What this run did" not in page


def test_work_and_errors_are_described_in_words(shop: Workshop):
    waits = Problem("batch.quiet", params={"batch": 7})
    results = [
        StationResult("stage", Subject("batch", 7), Ending.WAITING, {"staged": 3}, (waits,)),
        StationResult("reconcile", Subject("batch", 8), Ending.DONE, {"accepted": 5, "rejected": 1}),
    ]
    busy = Problem("batch.busy", params={"batch": 9})
    errors = [FaturistaError(busy), KeyError("x")]
    with shop.context() as context:
        page = run_page_markdown(context, results, errors)
        words = context.catalogue
        quiet = words.say(results[0].remarks[0])
    did = steps(page)
    assert did[0] == ["Stage the batch", "batch 7", "Goes on by itself later", "prepared 3", quiet]
    assert did[1] == ["Follow to the end", "batch 8", "Done", "accepted 5, rejected 1"]
    assert "In this run: 5 invoices accepted, 1 rejected." in page
    assert "Nothing of this run waits for a person." in page
    assert "> An unforeseen error (KeyError). The next run tries again" in page
    assert words.say(busy) in page


def test_a_subject_is_named_in_words(shop: Workshop):
    subjects = (Subject("ledger"), Subject("orders", "plan-a"), Subject("batch", 3))
    with shop.context() as context:
        subjects_shown = [say_subject(context.catalogue, each) for each in subjects]
    assert subjects_shown == ["ledger", "orders: plan-a", "batch 3"]


def test_the_page_of_a_reading_shows_only_its_batches(shop: Workshop):
    batch = shop.processed(1)
    shop.assembled(*lines(1, first=11))
    with shop.context() as context:
        page = run_page_markdown(context, [], reading_id=shop.batch(batch).reading_id)
    (row,) = page.partition("## Batches")[2].split("\n")[4:]
    assert row.startswith(f"| {batch} | Finished | nobody | Accepted 1 | 1 |")


def test_four_eyes_name_who_dropped_the_sheet(shop: Workshop):
    shop.staged(1)
    shop.set(APPROVAL__FOUR_EYES="true", APPROVAL__AUTOMATIC="false")
    with shop.context() as context:
        page = run_page_markdown(context, [])
    assert "`faturista approve`. Whoever dropped the sheet (clerk) does not approve: it takes somebody else." in page


def test_a_stopped_run_is_reported_with_every_error(shop: Workshop):
    errors = ExceptionGroup("", [FaturistaError(Problem("batch.busy", params={"batch": 9})), KeyError("x")])
    with shop.context() as context:
        page = failure_markdown(
            context.catalogue, errors, profile="production", at=datetime(2026, 11, 20, 3, tzinfo=UTC)
        )
    assert page.startswith("# Situation on 20/11/2026 00:00 (production)\n\n**This run stopped before its end.**")
    assert page.count("\n> ") == 2
