"""The sweep: whatever stopped goes on from wherever it stands, and one trouble holds up nothing else."""

import asyncio

import pytest

from domain.states import InvoiceState
from flows.reconcile_batches import reconcile_batches
from tasks.resolve import resolve_rows
from tasks.stage import stage_batch
from tests.flows.dashboard import artifact, newest_run
from tests.tasks.rows import SAO_PAULO, line, lines
from tests.tasks.workshop import PROFILE, Workshop, fault

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


def sweep(*, until_done: bool = False) -> int:
    looks: int = asyncio.run(reconcile_batches(profile=PROFILE, until_done=until_done))
    return looks


def test_one_sweep_takes_each_batch_up_where_it_stands(shop: Workshop):
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
    assert {f"stage batch {planned}", f"release batch {approved}", f"discard batch {given_up}"} <= set(run.tasks)


def test_until_done_it_goes_on_to_the_end(shop: Workshop):
    shop.sandbox.switch(advance="looks", advance_looks=3)
    shop.sandbox.faults(fault("notes.create", "lose_answer", after=1), fault("batches.send", "lose_answer"))
    batch = shop.planned(4)
    sweep(until_done=True)
    assert shop.batch(batch).state == "processed"
    assert set(shop.states(batch)) == {InvoiceState.ACCEPTED}
    assert (shop.asked("notes.create"), shop.asked("batches.send")) == (4, 1)
    assert {tally["station"] for tally in artifact("reconcile")} >= {"stage", "release", "reconcile"}


def test_an_import_that_stopped_is_taken_up(shop: Workshop):
    reading = shop.reading(*lines(2))
    shop.run(resolve_rows, reading)
    shop.tamper("UPDATE readings SET started_at = started_at - 100000000000")
    sweep(until_done=True)
    (batch,) = shop.batches()
    assert (batch.reading_id, batch.state) == (reading, "processed")


def test_a_serie_in_dispute_holds_up_nobody_else(shop: Workshop):
    """One company's serie waits for a person: the others' invoices are issued, and the sweep comes to its end."""
    shop.post_as_somebody_else(number=41)
    shop.reading(line(1))
    shop.reading(line(2, emitter_cnpj=SAO_PAULO))
    shop.tamper("UPDATE readings SET started_at = started_at - 100000000000")
    sweep(until_done=True)
    (batch,) = shop.batches()
    assert batch.state == "processed"
    remarks = {tally["subject"]: tally["remarks"] for tally in artifact("reconcile") if tally["station"] == "resume"}
    assert remarks["reading 1"] == "serie.in_use"
    assert newest_run().state == "Completed"


def test_nothing_to_do_is_done(shop: Workshop):
    assert sweep(until_done=True) == 0
    assert (artifact("reconcile"), newest_run().tasks) == ([], ["approve as the profile says"])
