"""A post without an answer is found, or proved absent twice, and never simply repeated."""

import threading
import time
from datetime import timedelta

import pytest

from connectors.ledger import leases
from connectors.ledger.incidents import incidents_open
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.observations.patience import MOST_DOUBTS, quiet_after
from domain.states import BatchState, Entity, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.decide import BatchDecision, decide_batch, decide_note
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.workshop import LEASE_S, QUIET_S, TIMEOUT_S, Workshop, fault, remarks

CREATED, RESERVED, IN_DOUBT = InvoiceState.CREATED, InvoiceState.RESERVED, InvoiceState.IN_DOUBT


def test_a_note_that_arrived_is_found_and_not_posted_again(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(
        fault("notes.create", "lose_answer", after=2),
        fault("notes.create", "truncated", after=3),
        fault("notes.create", "status_500", after=4, when="after"),
    )
    batch = shop.planned(7)
    result = shop.run(stage_batch, batch)
    assert (result.ending, result.counts["staged"]) == ("done", 7)
    assert shop.asked("notes.create") == 7
    assert shop.record()["violations"] == []
    assert {note.remote_id for note in shop.notes(batch)} == {note["id"] for note in shop.there()}
    found = [note for note in shop.notes(batch) if note.doubts]
    assert len(found) == 3
    assert all(note.answer_digest for note in found)
    assert "found at the provider" in shop.reasons(Entity.INVOICE, found[0].id)
    assert shop.batch(batch).proven_by == "listed"


def test_an_absent_note_is_posted_again_only_after_quiet_time(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(4)
    first = shop.run(stage_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["batch.doubts"])
    doubted = [note.state for note in shop.notes(batch)].index(IN_DOUBT)
    due_at, last_byte_at = shop.batch(batch).due_at, shop.notes(batch)[doubted].last_byte_at
    assert last_byte_at is not None
    assert abs(due_at - last_byte_at - timedelta(seconds=QUIET_S)) < timedelta(seconds=5)
    # Two early looks do not find it, but it may still arrive.
    for _ in range(2):
        assert shop.run(stage_batch, batch).ending == "waiting"
    assert (shop.asked("notes.create"), shop.states(batch)[doubted]) == (4, IN_DOUBT)
    assert shop.run_quiet(stage_batch, batch).ending == "done"
    assert shop.states(batch) == [CREATED] * 4
    assert sorted(note["number"] for note in shop.there()) == [1, 2, 3, 4]
    assert (shop.asked("notes.create"), shop.record()["violations"]) == (5, [])
    assert "absent from two stable listings" in shop.reasons(Entity.INVOICE, shop.notes(batch)[doubted].id)


def test_a_worker_that_took_over_waits_out_the_longer_quiet_time(each_shop: Workshop):
    """It does not ask again and again for a listing that cannot settle the note yet."""
    shop = each_shop
    batch = shop.planned(4)
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=1))
    assert shop.run(stage_batch, batch).ending == "waiting"
    shop.sandbox.faults(fault("notes.create", "reset_before", count=1))
    assert shop.run_quiet(stage_batch, batch).ending == "waiting"
    (doubted,) = (note for note in shop.notes(batch) if note.state is IN_DOUBT)
    assert doubted.doubts == 2
    assert shop.write(leases.claim, batch, owner="somebody else", seconds=LEASE_S, states=set(BatchState)) is not None
    shop.write(age, LEASE_S)
    assert remarks(shop.run(stage_batch, batch)) == ["batch.quiet"]
    shop.write(age, TIMEOUT_S + QUIET_S + 1)
    assert remarks(shop.run(stage_batch, batch)) == ["batch.doubts"]
    row = shop.batch(batch)
    assert row.settle_after is not None
    waited = row.due_at - row.settle_after - timedelta(seconds=TIMEOUT_S + quiet_after(QUIET_S, 2))
    assert abs(waited) < timedelta(seconds=5)
    shop.write(age, quiet_after(QUIET_S, 2) - QUIET_S)
    assert shop.run(stage_batch, batch).ending == "done"
    assert (shop.states(batch), shop.record()["violations"]) == ([CREATED] * 4, [])


def test_a_note_that_arrives_within_quiet_time_is_found(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(3)
    assert shop.run(stage_batch, batch).ending == "waiting"
    doubted = next(note for note in shop.notes(batch) if note.state is IN_DOUBT)
    late = shop.arrive(doubted)
    assert shop.run(stage_batch, batch).ending == "done"
    assert {note.remote_id for note in shop.notes(batch)} >= {late}
    assert (len(shop.there()), shop.record()["violations"]) == (3, [])


def test_a_late_first_note_before_the_series_record_is_no_alarm(shop: Workshop):
    """The record names a number that the listing lacked a moment ago: the note is late, not outside of its batch."""
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "reset_before"))
    assert shop.run(stage_batch, batch).ending == "waiting"
    (doubted,) = (note for note in shop.notes(batch) if note.state is IN_DOUBT)
    shop.sandbox.faults(fault("emitters.serie", "slow", seconds=0.3))
    arriving = threading.Thread(target=_arrive_when_asked, args=(shop, doubted))
    arriving.start()
    result = shop.run_quiet(stage_batch, batch)
    arriving.join()
    assert (result.ending, shop.incidents()) == ("done", [])
    assert sorted(note["number"] for note in shop.there()) == [1, 2, 3]


def issued_outside(shop: Workshop, count: int) -> tuple[int, InvoiceRecord]:
    """Return a batch that lacks its first note, which was issued without an answer; and that note."""
    batch = shop.planned(count)
    shop.sandbox.switch(batch_id="ignore")
    shop.sandbox.faults(fault("notes.create", "lose_answer", count=1))
    shop.run(stage_batch, batch)
    assert remarks(shop.run_quiet(stage_batch, batch)) == ["batch.answer_differs"]
    shop.sandbox.switch(batch_id="honour")
    note = shop.notes(batch)[0]
    assert note.state == "unresolved"
    return batch, note


def say_it_is_there(shop: Workshop, note: InvoiceRecord) -> None:
    with shop.context() as context:
        there = shop.there()[0]["id"]
        decide_note(context, note.id, "accepted", person="Ana", because="it is in the page", remote_id=there)


def test_a_person_is_asked_about_an_outside_note_by_its_number(each_shop: Workshop):
    batch, note = issued_outside(each_shop, 2)
    asked = [each for each in each_shop.read(incidents_open) if each.invoice_id == note.id]
    assert [(each.code, each.params) for each in asked] == [
        ("batch.unresolved", {"batch": batch, "notes": f"F-1 ({note.id})"})
    ]
    each_shop.decide(batch, "open")
    assert remarks(each_shop.run(stage_batch, batch)) == ["batch.unresolved"]


@pytest.mark.parametrize("then", ["open", "sent"])
def test_a_decided_first_note_lets_the_others_be_issued(shop: Workshop, then: BatchDecision):
    batch, note = issued_outside(shop, 3)
    say_it_is_there(shop, note)
    shop.decide(batch, then)
    for _ in range(2):
        for each in shop.batches():
            shop.run_quiet(stage_batch if each.state in {"planned", "open"} else reconcile_batch, each.id)
    shop.approve()
    last = shop.batches()[-1].id
    shop.run(release_batch, last)
    shop.follow(last)
    assert [state for each in shop.batches() for state in shop.states(each.id) if state != "retired"] == [
        "accepted"
    ] * 3
    assert [each["status"] for each in shop.there()] == ["accepted"] * 3
    assert {each.state for each in shop.batches()} == {"processed"}
    assert shop.record()["violations"] == []


def test_a_batch_of_nothing_else_is_not_taken_back_but_followed(shop: Workshop):
    batch, note = issued_outside(shop, 1)
    say_it_is_there(shop, note)
    shop.decide(batch, "open")
    assert remarks(shop.run(stage_batch, batch)) == ["batch.unsettled"]
    shop.decide(batch, "sent")
    shop.follow(batch)
    assert shop.states(batch) == ["accepted"]


def _arrive_when_asked(shop: Workshop, doubted: InvoiceRecord) -> None:
    """Let it arrive during the request for the series record, at the latest at the end of the story."""
    end = time.monotonic() + 10
    while not shop.sandbox.control("faults")[0]["seen"] and time.monotonic() < end:
        time.sleep(0.005)
    shop.arrive(doubted)


def test_the_first_of_two_arrivals_is_ours(shop: Workshop):
    """A proxy between us and the provider sent the request twice."""
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(3)
    shop.run(stage_batch, batch)
    doubted = next(note for note in shop.notes(batch) if note.state is IN_DOUBT)
    first, second = shop.arrive(doubted), shop.arrive(doubted)
    assert shop.run(stage_batch, batch).ending == "done"
    ours = {note.remote_id for note in shop.notes(batch)}
    assert ours == {note["id"] for note in shop.there()}
    assert (first in ours, second in ours) == (True, False)


def test_after_quiet_time_it_is_still_looked_for_twice(shop: Workshop):
    """It appears between the two looks: one listing proves nothing, however late it is."""
    batch = shop.planned(2)
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1), fault("batches.notes", "status_500", count=20))
    assert shop.run(stage_batch, batch).ending == "waiting"
    shop.sandbox.faults(fault("batches.read", "act", after=1, act={"do": "add", "note_id": 1, "number": 2}))
    result = shop.run_quiet(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.number_with_other_content"])
    assert shop.asked("notes.create") == 2


def test_our_number_with_other_content_is_a_matter_for_a_person(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(3)
    shop.run(stage_batch, batch)
    number = next(note.number for note in shop.notes(batch) if note.state is IN_DOUBT)
    stranger = shop.post_as_somebody_else(number=number, batch=shop.batch(batch).remote_id)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.number_with_other_content"])
    assert stranger in {note["id"] for note in shop.there()}
    assert (shop.asked("notes.delete"), shop.asked("notes.create")) == (0, 4)
    assert IN_DOUBT in shop.states(batch)


def test_a_note_doubted_again_and_again_settles_by_itself(each_shop: Workshop):
    """The provider accepts nothing for a while, and then works again: no person is needed."""
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=MOST_DOUBTS - 1))
    batch = shop.planned(2)
    assert shop.run(stage_batch, batch).ending == "waiting"
    for doubts in range(1, MOST_DOUBTS - 1):
        assert run_after_doubts(shop, batch, doubts).ending == "waiting"
    assert run_after_doubts(shop, batch, MOST_DOUBTS - 1).ending == "done"
    assert (shop.states(batch), shop.notes(batch)[1].doubts) == ([CREATED] * 2, MOST_DOUBTS - 1)
    assert (shop.asked("notes.create"), shop.incidents()) == (1 + MOST_DOUBTS, [])
    assert sorted(note["number"] for note in shop.there()) == [1, 2]


def test_after_the_last_doubt_a_person_decides(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=MOST_DOUBTS))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    results = [run_after_doubts(shop, batch, doubts) for doubts in range(1, MOST_DOUBTS + 1)]
    assert [result.ending for result in results] == ["waiting"] * (MOST_DOUBTS - 1) + ["disturbed"]
    assert remarks(results[-1]) == ["batch.unresolved"]
    assert (shop.notes(batch)[1].state, shop.notes(batch)[1].doubts) == (InvoiceState.UNRESOLVED, MOST_DOUBTS)
    assert shop.asked("notes.create") == 1 + MOST_DOUBTS


def test_a_note_doubted_twice_is_adopted_when_it_appears(each_shop: Workshop):
    """Both posts timed out because the provider was slow: it stored the second one late."""
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=2))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    run_after_doubts(shop, batch, 1)
    doubted = shop.notes(batch)[1]
    assert (doubted.state, doubted.doubts) == (IN_DOUBT, 2)
    late = shop.arrive(doubted)
    assert shop.run(stage_batch, batch).ending == "done"
    assert (shop.notes(batch)[1].remote_id, shop.asked("notes.create"), shop.incidents()) == (late, 4, [])


def test_a_note_doubted_twice_and_issued_waits_for_a_person(shop: Workshop):
    """Its batch lacks it, but the series record shows its number: a third post would be a second document."""
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=1))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    shop.sandbox.faults(fault("notes.create", "lose_answer", count=1))
    shop.sandbox.switch(batch_id="ignore")
    assert run_after_doubts(shop, batch, 1).ending == "waiting"
    asked = shop.asked("notes.create")
    result = run_after_doubts(shop, batch, 2)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.answer_differs"])
    assert (shop.notes(batch)[1].state, shop.asked("notes.create")) == (InvoiceState.UNRESOLVED, asked)


def run_after_doubts(shop: Workshop, batch: int, doubts: int) -> StationResult:
    """Stage the batch after the quiet time of this number of doubts."""
    shop.write(age, quiet_after(QUIET_S, doubts) + 1)
    return shop.run(stage_batch, batch)


def test_a_note_that_once_had_an_id_is_never_absent(shop: Workshop):
    """It was answered with an unknown status, then deleted in the web page: it is not posted again."""
    shop.sandbox.faults(fault("notes.create", "altered", fields={"status": "waiting for rain"}))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    first = shop.notes(batch)[0]
    assert (first.state, first.remote_id) == (IN_DOUBT, shop.there()[0]["id"])
    shop.act("delete", note_id=first.remote_id)
    with shop.context() as context:
        decide_batch(context, batch, "open", person="Ana", because="looked")
    result = shop.run_quiet(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.note_vanished"])
    assert shop.asked("notes.create") == 1


def test_a_note_with_an_id_is_found_by_it(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "altered", fields={"status": "waiting for rain"}))
    batch = shop.planned(3)
    shop.run(stage_batch, batch)
    with shop.context() as context:
        decide_batch(context, batch, "open", person="Ana", because="it waits in its batch")
    assert shop.run(stage_batch, batch).ending == "done"
    assert (shop.states(batch), shop.asked("notes.create")) == ([CREATED] * 3, 3)


def test_without_a_doubt_nothing_is_listed(shop: Workshop):
    batch = shop.staged(4)
    assert shop.asked("batches.notes") == 0
    assert not shop.batch(batch).must_list
    assert [note.doubts for note in shop.notes(batch)] == [0] * 4
