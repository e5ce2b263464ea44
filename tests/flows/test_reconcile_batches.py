"""The sweep: stopped work continues from any state, and one failure stops nothing else."""

import asyncio
from pathlib import Path

import pytest

from connectors.ledger import batch_observations
from domain.states import InvoiceState
from flows.prefect_flows import reconcile_batches
from tasks.backup.copies import back_up, restore
from tasks.backup.restore_check import quarantined_since
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tasks.views.status import overview
from tests.flows.dashboard import artifact, newest_run, steps
from tests.tasks.rows import SAO_PAULO, line, lines
from tests.tasks.workshop import PROFILE, Workshop, fault

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


def sweep(*, until_done: bool = False) -> int:
    looks: int = asyncio.run(reconcile_batches(profile=PROFILE, until_done=until_done))
    return looks


def test_one_sweep_continues_each_batch_from_its_state(shop: Workshop):
    sent = shop.sent(1)
    (approved,) = shop.assembled(*lines(1, first=11))[1]
    shop.run(stage_batch, approved)
    shop.approve()
    (planned,) = shop.assembled(*lines(1, first=21))[1]
    (given_up,) = shop.assembled(*lines(1, first=31))[1]
    shop.run(stage_batch, given_up)
    shop.decide(given_up, "discard")
    shop.set(APPROVAL__AUTOMATIC="false")
    assert sweep() >= 4
    assert shop.batch(planned).state == "staged"
    assert shop.batch(approved).state in {"scheduled", "processing", "processed"}
    assert shop.batch(sent).state == "processed"
    assert shop.batch(given_up).state == "discarded"
    run = newest_run()
    assert (run.name, run.state) == ("reconcile for local", "Completed")
    named = {task.partition(":")[0] for task in run.tasks}
    assert {f"stage batch {planned}", f"release batch {approved}", f"discard batch {given_up}"} <= named
    assert any(task.startswith(f"stage batch {planned}: Mares Consultoria Ltda, ") for task in run.tasks)


def test_until_done_it_goes_on_to_the_end(shop: Workshop):
    shop.sandbox.switch(advance="looks", advance_looks=3)
    shop.sandbox.faults(fault("notes.create", "lose_answer", after=1), fault("batches.send", "lose_answer"))
    batch = shop.planned(4)
    sweep(until_done=True)
    assert shop.batch(batch).state == "processed"
    assert set(shop.states(batch)) == {InvoiceState.ACCEPTED}
    assert (shop.asked("notes.create"), shop.asked("batches.send")) == (4, 1)
    assert {step[0] for step in steps(artifact("reconcile"))} >= {"Stage the batch", "Send", "Follow to the end"}


def test_until_done_it_ends_where_only_a_person_or_time_helps(shop: Workshop):
    shop.set(APPROVAL__AUTOMATIC="false")
    staged = shop.planned(1)
    (later,) = shop.assembled(*lines(1, first=11))[1]
    shop.write(batch_observations.schedule_look, later, seconds=7_200)
    sweep(until_done=True)
    assert [shop.batch(each).state for each in (staged, later)] == ["staged", "planned"]
    page = artifact("reconcile")
    assert f"Waiting for an approval: batch {staged}." in page
    assert f"Batches {later} go on by themselves" in page


def test_an_import_that_stopped_is_taken_up(shop: Workshop):
    reading = shop.reading(*lines(2))
    shop.run(resolve_rows, reading)
    shop.tamper("UPDATE readings SET alive_at = alive_at - 100000000000")
    sweep(until_done=True)
    (batch,) = shop.batches()
    assert (batch.reading_id, batch.state) == (reading, "processed")


def test_a_serie_in_dispute_holds_up_nobody_else(shop: Workshop):
    """One company's serie waits for a person: the others' invoices are issued, and the sweep ends."""
    shop.post_as_somebody_else(number=41)
    shop.reading(line(1))
    shop.reading(line(2, emitter_cnpj=SAO_PAULO))
    shop.tamper("UPDATE readings SET alive_at = alive_at - 100000000000")
    sweep(until_done=True)
    (batch,) = shop.batches()
    assert batch.state == "processed"
    remarks = {step[1]: step[-1] for step in steps(artifact("reconcile")) if step[0] == "Take up the reading again"}
    assert "faturista start-serie" in remarks["reading 1"]
    assert newest_run().state == "Completed"


def test_the_sweep_continues_after_a_rest_of_the_provider(shop: Workshop):
    shop.set(NFSE__PACE__RESTS_S="[0.2]", NFSE__PACE__FAILURES_BEFORE_REST=4)
    batch = shop.sent(3)
    shop.sandbox.faults(fault("*", "status_500", count=9))
    sweep(until_done=True)
    assert shop.batch(batch).state == "processed"
    assert newest_run().state == "Completed"
    # Four requests that failed, then one trial after each rest.
    (rule,) = shop.sandbox.control("faults")
    assert rule["applied"] == 9
    with shop.context() as context:
        assert not overview(context).notices


def test_a_restored_ledger_is_compared_by_the_next_sweep(shop: Workshop, tmp_path: Path):
    shop.processed(2)
    with shop.context() as context:
        path, _ = back_up(context)
    shop.set(LEDGER__URL=f"sqlite:///{tmp_path / 'restored.db'}")
    restore(PROFILE, path, person="Ana")
    sweep()
    with shop.context() as context:
        assert quarantined_since(context) is None
    assert "Compare the restored copy" in {step[0] for step in steps(artifact("reconcile"))}


def test_nothing_to_do_is_done(shop: Workshop):
    assert sweep(until_done=True) == 0
    assert (steps(artifact("reconcile")), newest_run().tasks) == ([], ["approve as the profile says"])
    assert "Nothing of this run waits for a person" in artifact("reconcile")
