"""Before a person is asked, the line proves that the staged batch equals the ledger."""

import pytest

from domain.keys import proof_digest
from domain.states import InvoiceState
from tasks.stations.stage import stage_batch
from tests.tasks.workshop import Workshop, fault, remarks


def test_counted_takes_one_look_where_every_note_was_answered(shop: Workshop):
    record = shop.batch(shop.staged(12))
    assert (record.proven_by, record.counters) == ("counted", counters(created=12, total=12))
    assert (shop.asked("batches.read"), shop.asked("batches.notes")) == (1, 0)


def test_the_digest_binds_what_was_answered(shop: Workshop):
    batch = shop.staged(3)
    record = shop.batch(batch)
    answers = [note.answer_digest or "" for note in shop.notes(batch)]
    assert len(set(answers)) == 3
    assert record.remote_id is not None
    assert record.digest == proof_digest(record.remote_id, record.revision, answers)


def test_a_lagging_counter_is_read_again_before_it_is_believed(shop: Workshop):
    shop.set(PROTOCOL__COUNTER_PATIENCE_S=30)
    shop.sandbox.faults(fault("batches.read", "lagging_counters", count=2, seconds=3600))
    record = shop.batch(shop.staged(4))
    assert record.proven_by == "counted"
    assert shop.asked("batches.read") == 3


def test_a_counter_that_stays_too_small_is_listed(shop: Workshop):
    batch = shop.planned(4)
    shop.sandbox.faults(fault("notes.create", "act", after=3, act={"do": "delete"}))
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.note_vanished"])
    assert result.remarks[0].params["number"] in {1, 2, 3, 4}
    assert shop.batch(batch).digest is None


def test_somebody_elses_note_in_our_batch_is_left_alone(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "add", "number": 900}))
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.foreign_note"])
    assert (shop.asked("notes.delete"), len(shop.there())) == (0, 4)
    assert shop.batch(batch).state == "disturbed"


def test_a_second_arrival_of_our_own_note_is_deleted(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "add", "number": 3}))
    shop.set(NFSE__IN_FLIGHT=1)
    result = shop.run(stage_batch, batch)
    assert (result.ending, shop.batch(batch).proven_by) == ("done", "listed")
    assert [note["number"] for note in shop.there()] == [1, 2, 3]
    assert {note["id"] for note in shop.there()} == {note.remote_id for note in shop.notes(batch)}


def test_a_second_note_of_our_number_is_left_alone(shop: Workshop):
    """A copy of the third note under the number of the first: somebody made it for a reason."""
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "add", "number": 1}))
    shop.set(NFSE__IN_FLIGHT=1)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.foreign_note"])
    assert (shop.asked("notes.delete"), len(shop.there())) == (0, 4)


@pytest.mark.parametrize(("ceiling", "proven_by"), [(30_005, "listed"), (30_006, "counted")])
def test_a_batch_above_the_amount_is_listed(shop: Workshop, ceiling, proven_by):
    shop.set(PROTOCOL__LIST_ABOVE_CENTS=ceiling)
    record = shop.batch(shop.staged(3))
    assert (record.total_cents, record.proven_by) == (30_006, proven_by)


@pytest.mark.parametrize(
    "edit",
    [
        {"service_values": {"service_amount": "100.99"}},
        {"service_values": {"iss_percentage": "3.00"}},
        {"service_values": {"description": "Outro serviço"}},
    ],
)
def test_a_note_that_somebody_edited_is_found_by_listing(shop: Workshop, edit):
    shop.set(PROTOCOL__LIST_ABOVE_CENTS=1)
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "edit", **edit}))
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.note_differs"])


def test_a_batch_that_somebody_sent_cannot_be_proved(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "send"}))
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.sent_by_other"])
    assert shop.batch(batch).digest is None


def test_a_note_that_was_refused_is_not_missed(shop: Workshop):
    batch = shop.planned(4)
    shop.forget_taker(2)
    assert shop.run(stage_batch, batch).ending == "done"
    record = shop.batch(batch)
    assert (record.proven_by, record.count, record.total_cents) == ("counted", 3, 10_001 + 10_003 + 10_004)
    assert shop.states(batch).count(InvoiceState.REFUSED) == 1


def counters(**some: int) -> dict[str, int]:
    names = ("created", "scheduled", "processing", "accepted", "rejected", "cancelled", "cancelling", "total")
    return dict.fromkeys(names, 0) | some
