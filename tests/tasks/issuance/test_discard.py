"""Taking a staged batch back: our own notes, one by one, and nobody else's."""

from connectors.ledger import incidents, numbers
from connectors.ledger.observations.patience import MOST_DOUBTS
from domain.states import InvoiceState
from tasks.issuance.discard import discard_batch
from tasks.stations.reconcile import recheck_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tasks.views.due_work import due_batches
from tests.ageing import age
from tests.tasks.workshop import QUIET_S, Workshop, fault, remarks

_DAY_S = 86_400.0
DELETED, RETIRED = InvoiceState.DELETED, InvoiceState.RETIRED


def disturbed(shop: Workshop, *, count: int = 4) -> int:
    """Return a batch with a foreign note in it, which a person has given up."""
    batch = shop.approved(count)
    shop.act("add", batch_id=shop.remote(batch), number=900)
    assert shop.run(release_batch, batch).ending == "disturbed"
    shop.decide(batch, "discard")
    return batch


def test_our_notes_go_and_a_strangers_stays(each_shop: Workshop):
    shop = each_shop
    batch = disturbed(shop)
    result = shop.run(discard_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"deleted": 4, "retired": 0})
    assert [note["number"] for note in shop.there()] == [900]
    assert (shop.batch(batch).state, set(shop.states(batch))) == ("discarded", {DELETED})
    assert shop.asked("batches.cancel") == 0
    assert {attempt.outcome for attempt in shop.attempts(batch, "delete")} == {"done"}
    (emitter_id,) = {note.emitter_id for note in shop.notes(batch)}
    assert shop.read(numbers.audit_below, emitter_id, "F", 4) == []
    assert len(shop.batches()) == 1
    assert shop.run(discard_batch, batch).ending == "busy"


def test_a_note_that_is_gone_already_is_as_good_as_deleted(shop: Workshop):
    batch = disturbed(shop)
    shop.act("delete", note_id=shop.notes(batch)[2].remote_id)
    assert dict(shop.run(discard_batch, batch).counts) == {"deleted": 4, "retired": 0}
    assert [attempt.status for attempt in shop.attempts(batch, "delete")] == [204, 204, 404, 204]


def test_a_gateways_page_on_delete_deletes_nothing(each_shop: Workshop):
    shop = each_shop
    batch = disturbed(shop)
    shop.sandbox.faults(fault("notes.delete", "gateway", status=404))
    first = shop.run(discard_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["provider.doubtful"])
    assert DELETED not in shop.states(batch)
    assert shop.run(discard_batch, batch).ending == "done"
    assert [note["number"] for note in shop.there()] == [900]


def test_a_note_listed_after_its_deletion_is_deleted_again(shop: Workshop):
    batch = disturbed(shop)
    one = shop.sandbox.call("GET", f"/api/v1/nfse/{shop.notes(batch)[0].remote_id}")[1]
    still = {"count": 1, "collection": [one]}
    shop.sandbox.faults(
        fault("batches.notes", "altered", fields=still),
        fault("batches.read", "altered", fields={"properties": {"created": 1, "total": 1}}, count=2),
    )
    assert shop.run(discard_batch, batch).ending == "done"
    assert [attempt.status for attempt in shop.attempts(batch, "delete")] == [204, 204, 204, 204, 404]


def test_a_note_that_survives_its_deletion_needs_a_person(shop: Workshop):
    batch = disturbed(shop)
    one = shop.sandbox.call("GET", f"/api/v1/nfse/{shop.notes(batch)[0].remote_id}")[1]
    still = {"count": 1, "collection": [one]}
    shop.sandbox.faults(
        fault("batches.notes", "altered", fields=still, count=2),
        fault("batches.read", "altered", fields={"properties": {"created": 1, "total": 1}}, count=4),
    )
    assert remarks(shop.run(discard_batch, batch)) == ["batch.note_stays"]
    assert shop.batch(batch).state == "disturbed"


def test_a_delete_without_an_answer_is_asked_again(shop: Workshop):
    """A second delete is harmless: the note is gone."""
    batch = disturbed(shop)
    shop.sandbox.faults(fault("notes.delete", "lose_answer", after=1))
    first = shop.run(discard_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["provider.doubtful"])
    assert shop.run(discard_batch, batch).ending == "done"
    assert set(shop.states(batch)) == {DELETED}


def test_notes_sent_meanwhile_need_a_person(each_shop: Workshop):
    shop = each_shop
    batch = disturbed(shop)
    shop.act("send", batch_id=shop.remote(batch))
    result = shop.run(discard_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["provider.disturbed"])
    assert "provider.disturbed" in shop.incidents()
    assert DELETED not in shop.states(batch)


def test_a_batch_sent_during_its_discard_is_followed(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(4)
    shop.decide(batch, "discard")
    send = {"do": "send", "batch_id": shop.remote(batch)}
    shop.sandbox.faults(fault("notes.delete", "act", after=1, act=send))
    assert shop.run(discard_batch, batch).ending == "disturbed"
    assert shop.batch(batch).state == "disturbed"
    deleted = [note.number for note in shop.notes(batch) if note.state is DELETED]
    assert 0 < len(deleted) < 4
    shop.decide(batch, "sent")
    result = shop.follow(batch)
    assert (result.ending, shop.batch(batch).state) == ("done", "processed")
    assert shop.batch(batch).count == 4 - len(deleted)
    assert len(shop.batches()) == 1
    assert sorted(note["number"] for note in shop.there()) == sorted({1, 2, 3, 4} - set(deleted))


def test_an_unposted_invoice_is_retired_with_its_number(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "altered", fields={"is_complete": False}))
    batch = shop.planned(5)
    shop.run(stage_batch, batch)
    shop.decide(batch, "discard")
    assert dict(shop.run(discard_batch, batch).counts) == {"deleted": 1, "retired": 4}
    assert shop.there() == []
    assert [note.state for note in shop.notes(batch)] == [DELETED, *[RETIRED] * 4]


def test_a_doubt_is_settled_before_the_batch_is_closed(each_shop: Workshop):
    """It may still arrive: closed too early, it would stay behind, and somebody could send it one day."""
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1))
    batch = shop.planned(3)
    assert shop.run(stage_batch, batch).ending == "waiting"
    stranger = shop.post_as_somebody_else(number=900, serie="Z", batch=shop.remote(batch))
    late = next(note for note in shop.notes(batch) if note.state is InvoiceState.IN_DOUBT)
    shop.disturb(batch)
    shop.decide(batch, "discard")
    first = shop.run(discard_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["batch.doubts"])
    shop.arrive(late)
    assert shop.run(discard_batch, batch).ending == "done"
    assert [note["id"] for note in shop.there()] == [stranger]
    assert set(shop.states(batch)) == {DELETED}


def test_a_lost_note_needs_a_person_before_its_batch_closes(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=MOST_DOUBTS))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    for _ in range(MOST_DOUBTS):
        shop.write(age, 20 * QUIET_S)
        result = shop.run(stage_batch, batch)
    assert remarks(result) == ["batch.unresolved"]
    shop.decide(batch, "discard")
    result = shop.run(discard_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.unresolved"])
    assert shop.batch(batch).lease_owner is None
    unresolved = next(note for note in shop.notes(batch) if note.state is InvoiceState.UNRESOLVED)
    shop.decide_note(unresolved.id, "retired")
    shop.decide(batch, "discard")
    shop.run(discard_batch, batch)
    assert shop.batch(batch).state == "discarded"


def test_a_discarded_batch_is_counted_until_it_is_old(each_shop: Workshop):
    """A delayed post arrives after the last look, and then somebody sends the batch."""
    shop = each_shop
    batch = shop.staged(2)
    shop.decide(batch, "discard")
    late = shop.notes(batch)[0]
    assert shop.run(discard_batch, batch).ending == "done"
    shop.write(age, _DAY_S)
    with shop.context() as context:
        assert due_batches(context, "recount") == [batch]
    assert dict(shop.run(recheck_batch, batch).counts) == {"found": 0}

    shop.arrive(late)
    assert dict(shop.run(recheck_batch, batch).counts) == {"found": 1}
    shop.act("send", batch_id=shop.remote(batch))
    shop.run(recheck_batch, batch)
    shop.run(recheck_batch, batch)
    opened = [each.params for each in shop.read(incidents.incidents_open)]
    assert [(each["number"], each["status"]) for each in opened] == [(1, "created"), (1, "accepted")]
    shop.write(age, 71 * _DAY_S)
    with shop.context() as context:
        assert due_batches(context, "recount") == []
