"""Reconciling: a sent batch is followed to its end, and the end is compared with what was meant."""

from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.ledger import batches, incidents, invoices
from domain.states import InvoiceState
from tasks.stations.reconcile import recheck_batch, reconcile_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.tasks.rows import company, line, lines
from tests.tasks.workshop import Workshop, fault, remarks

DAY_S = 86_401.0
ACCEPTED, REJECTED, CANCELLED = InvoiceState.ACCEPTED, InvoiceState.REJECTED, InvoiceState.CANCELLED


def test_every_note_ends_with_the_citys_number(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(5)
    notes = shop.notes(batch)
    assert {note.state for note in notes} == {ACCEPTED}
    assert {note.nfse_number for note in notes} == {note["nfse_number"] for note in shop.there()}
    assert all(note.nfse_key for note in notes)
    record = shop.batch(batch)
    assert (record.state, record.closed_at is not None, shop.incidents()) == ("processed", True, [])
    assert shop.run(reconcile_batch, batch).ending == "busy"


_ANOTHER_PAGE = fault("batches.notes", "altered", fields={"collection": []})
"""The page that is compared before the send shows none of the changed notes."""


def test_an_unfinished_batch_is_looked_at_again_later(shop: Workshop):
    shop.set(RECONCILE__LOOKS_S="[100, 300]")
    shop.sandbox.switch(advance="looks", advance_looks=20)
    batch = shop.sent(2)
    waits = []
    for _ in range(3):
        assert shop.run(reconcile_batch, batch).ending == "waiting"
        waits.append((shop.batch(batch).due_at - datetime.now(UTC)).total_seconds())
    assert 90 < waits[0] < 111 < 290 < waits[1] < 331
    assert 290 < waits[2] < 331
    assert (shop.batch(batch).state, shop.batch(batch).looks) == ("processing", 3)
    # The page before the send.
    assert shop.asked("batches.notes") == 1


def test_the_city_says_why_it_rejects(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.switch(rejection_share=1.0)
    batch = shop.sent(3)
    result = shop.follow(batch)
    assert dict(result.counts) == {"accepted": 0, "rejected": 3}
    theirs = {note["id"]: note["errors"] for note in shop.there()}
    for note in shop.notes(batch):
        assert note.state is REJECTED
        assert note.errors == theirs[note.remote_id or 0]
    assert any(note.errors for note in shop.notes(batch))
    assert shop.batch(batch).state == "processed"


def test_rejections_are_shown_while_others_are_under_way(shop: Workshop):
    (batch,) = shop.assembled(line(1), *lines(3, first=2))[1]
    shop.run(stage_batch, batch)
    shop.approve()
    first = shop.notes(batch)[0]
    shop.act("reject", note_id=first.remote_id, code="E30")
    shop.sandbox.switch(advance="seconds", advance_seconds=0)
    shop.sandbox.faults(fault("city", "city_slow", after=1, count=3, seconds=3600))
    shop.run(release_batch, batch)
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, result.counts["rejected"]) == ("waiting", 1)
    assert shop.notes(batch)[0].state is REJECTED
    assert shop.notes(batch)[0].errors[0]["code"] == "E30"
    assert shop.batch(batch).state == "processing"
    asked = shop.asked("batches.notes")
    shop.run(reconcile_batch, batch)
    assert shop.asked("batches.notes") == asked


def test_notes_of_other_statuses_in_a_filtered_list_are_read(shop: Workshop):
    """A filter is a hint: the list of rejected notes may contain any."""
    shop.sandbox.switch(advance="seconds", advance_seconds=3600)
    batch = shop.sent(3)
    shop.sandbox.faults(fault("batches.read", "altered", fields={"properties": {"rejected": 1, "scheduled": 2}}))
    shop.run(reconcile_batch, batch)
    assert REJECTED not in shop.states(batch)


def test_a_note_cancelled_in_the_web_page_is_seen_and_reported(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.switch(advance="seconds", advance_seconds=0)
    batch = shop.sent(3)
    victim = shop.notes(batch)[1]
    shop.record()
    shop.act("cancel", note_id=victim.remote_id)
    shop.follow(batch)
    assert shop.states(batch).count(ACCEPTED) == 2
    assert shop.notes(batch)[1].state in {CANCELLED, InvoiceState.CANCELLING}
    assert shop.incidents() == ["state.not_commanded"]


@pytest.mark.parametrize("values", [{"service_amount": "999.99"}, {"description": "Outro serviço"}])
def test_an_edit_after_the_proof_is_reported(each_shop: Workshop, values):
    """The last listing sees what the counted proof and a page of the batch cannot."""
    shop = each_shop
    batch = shop.approved(3)
    shop.sandbox.faults(_ANOTHER_PAGE)
    victim = shop.notes(batch)[1]
    shop.act("edit", note_id=victim.remote_id, service_values=values)
    shop.run(release_batch, batch)
    shop.follow(batch)
    (incident,) = shop.read(incidents.incidents_open)
    assert (incident.code, incident.params, incident.batch_id) == ("batch.note_differs", {"number": 2}, batch)
    assert shop.batch(batch).state == "processed"


def test_an_invoice_to_another_customer_is_reported(each_shop: Workshop):
    """The provider follows its register: somebody changed the record after the last look before the send."""
    shop = each_shop
    shop.sandbox.switch(taker_copied="no")
    batch = shop.approved(2)
    shop.run(release_batch, batch)
    _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(2).number}")
    shop.sandbox.call("PATCH", f"/api/v1/takers/{found['collection'][0]['id']}", {"cnpj": company(77).number})
    shop.follow(batch)
    (incident,) = shop.read(incidents.incidents_open)
    assert (incident.code, incident.batch_id) == ("batch.issued_to_other", batch)
    assert incident.params == {
        "number": 2,
        "theirs": f"{company(77).formatted} Tomador 2 Ltda",
        "ours": f"{company(2).formatted} Tomador 2 Ltda",
    }


def test_a_swap_after_the_proof_is_reported(each_shop: Workshop):
    """One of ours deleted, another note in its place, on a serie of its own: no counter and no serie shows it."""
    shop = each_shop
    batch = shop.approved(3)
    shop.sandbox.faults(_ANOTHER_PAGE)
    victim = shop.notes(batch)[2]
    shop.act("add", batch_id=shop.remote(batch), number=900, serie="Z")
    shop.act("delete", note_id=victim.remote_id)
    assert shop.run(release_batch, batch).ending == "done"
    shop.follow(batch)
    assert sorted(shop.incidents()) == ["batch.foreign_note", "batch.note_vanished"]
    assert shop.states(batch)[:2] == [ACCEPTED] * 2
    assert shop.notes(batch)[2].state is InvoiceState.SCHEDULED


def test_a_replaced_note_stops_the_send(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(3)
    shop.sandbox.faults(_ANOTHER_PAGE)
    victim = shop.notes(batch)[2]
    shop.act("add", batch_id=shop.remote(batch), number=900)
    shop.act("delete", note_id=victim.remote_id)
    assert shop.run(release_batch, batch).ending == "disturbed"
    assert shop.asked("batches.send") == 0


def test_a_number_that_somebody_changed_is_reported(shop: Workshop):
    batch = shop.sent(1)
    page = shop.sandbox.call("GET", f"/api/v1/batches/{shop.remote(batch)}/nfse")[1]
    renumbered = [{**page["collection"][0], "number": 7}]
    shop.sandbox.faults(fault("batches.notes", "altered", fields={"collection": renumbered}))
    shop.follow(batch)
    assert shop.incidents() == ["batch.note_differs"]


def test_a_note_that_joins_after_the_send_is_reported(each_shop: Workshop):
    """The provider lets notes join until the batch is processed."""
    shop = each_shop
    shop.sandbox.switch(advance="looks", advance_looks=2)
    batch = shop.sent(3)
    shop.post_as_somebody_else(number=900, serie="Z", batch=shop.remote(batch))
    shop.follow(batch)
    assert set(shop.incidents()) == {"batch.counters_differ", "batch.foreign_note"}
    assert set(shop.states(batch)) == {ACCEPTED}


def test_notes_unposted_at_a_foreign_send_get_another_batch(each_shop: Workshop):
    shop = each_shop
    shop.set(NFSE__IN_FLIGHT=1)
    shop.sandbox.switch(attach_after_send="refuse")
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "send"}))
    batch = shop.planned(6)
    assert shop.run(stage_batch, batch).ending == "disturbed"
    posted = len(shop.there())
    assert 3 <= posted < 6
    shop.decide(batch, "sent")
    shop.run_quiet(reconcile_batch, batch)
    shop.follow(batch)
    assert shop.states(batch).count(ACCEPTED) == posted
    (fresh,) = [record for record in shop.batches() if record.id != batch]
    assert (fresh.count, shop.batch(batch).count) == (6 - posted, posted)
    assert fresh.total_cents + shop.batch(batch).total_cents == sum(range(10_001, 10_007))
    assert {note.number for note in shop.notes(fresh.id)}.isdisjoint({note.number for note in shop.notes(batch)})
    shop.run(stage_batch, fresh.id)
    assert shop.batch(fresh.id).state == "staged"


def test_a_note_deleted_before_a_foreign_send_stops_nothing(each_shop: Workshop):
    """It was never issued: the line reports it, and bills its row only if the row returns."""
    shop = each_shop
    batch = shop.staged(3)
    shop.act("delete", note_id=shop.notes(batch)[1].remote_id)
    shop.disturb(batch)
    shop.act("send", batch_id=shop.remote(batch))
    shop.decide(batch, "sent")
    shop.follow(batch)
    assert shop.states(batch) == [ACCEPTED, InvoiceState.DELETED, ACCEPTED]
    assert (shop.batch(batch).state, shop.batch(batch).count, len(shop.batches())) == ("processed", 2, 1)
    assert "batch.note_vanished" in shop.incidents()
    _, (again,) = shop.assembled(*lines(3))
    assert [note.number for note in shop.notes(again)] == [4]


def test_a_disputed_serie_does_not_keep_a_sent_batch_open(shop: Workshop):
    """The remaining notes cannot be numbered before a person's decision; the others are followed all the same."""
    shop.set(NFSE__IN_FLIGHT=1)
    shop.sandbox.switch(attach_after_send="refuse")
    shop.sandbox.faults(fault("notes.create", "act", after=2, act={"do": "send"}))
    batch = shop.planned(9)
    assert shop.run(stage_batch, batch).ending == "disturbed"
    shop.post_as_somebody_else(number=900)
    shop.decide(batch, "sent")
    shop.run_quiet(reconcile_batch, batch)
    shop.follow(batch)
    assert shop.batch(batch).state == "processed"
    assert shop.read(invoices.drafts_of, shop.batch(batch).reading_id)
    assert len(shop.batches()) == 1


def test_a_provider_that_is_down_is_asked_later(shop: Workshop):
    batch = shop.sent(2)
    shop.sandbox.faults(fault("batches.read", "malformed"))
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.broken"])
    shop.follow(batch)


def test_an_unknown_status_is_reported_and_looked_at_again(shop: Workshop):
    batch = shop.sent(1)
    page = shop.sandbox.call("GET", f"/api/v1/batches/{shop.remote(batch)}/nfse")[1]
    strange = [{**page["collection"][0], "status": "waiting for rain"}]
    shop.sandbox.faults(fault("batches.notes", "altered", fields={"collection": strange}))
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result), shop.incidents()) == (
        "waiting",
        ["batch.unknown_status"],
        ["batch.unknown_status"],
    )
    shop.follow(batch)
    assert shop.states(batch) == [ACCEPTED]


def _answer_the_end_with(shop: Workshop, batch: int, *others: dict[str, Any], **fields: Any) -> None:
    """Let the next listing show the only note at its end with these fields; add other faults."""
    page = shop.sandbox.call("GET", f"/api/v1/batches/{shop.remote(batch)}/nfse")[1]
    ended = [{**page["collection"][0], "status": "accepted", **fields}]
    shop.sandbox.faults(fault("batches.notes", "altered", fields={"collection": ended}), *others)


@pytest.mark.parametrize("field", ["nfse_number", "nfse_key"])
def test_a_nul_in_the_citys_answer_is_stored_visibly(each_shop: Workshop, field: str):
    shop = each_shop
    batch = shop.sent(1)
    _answer_the_end_with(shop, batch, **{field: "12\u00003"})
    shop.follow(batch)
    assert [getattr(note, field) for note in shop.notes(batch)] == ["12\ufffd3"]


def test_a_date_at_the_calendars_end_stops_no_batch(each_shop: Workshop):
    shop = each_shop
    batch = shop.sent(1)
    _answer_the_end_with(shop, batch, emission_date="9999-12-31T23:59:59")
    shop.follow(batch)
    assert (shop.states(batch), shop.incidents()) == ([ACCEPTED], [])


STRANGE_VALUES: list[dict[str, Any]] = [
    {"id": 2**63},
    {"number": 2**63},
    {"competence": "0001-01-01T01:00:00+14:00"},
]


@pytest.mark.parametrize("fields", STRANGE_VALUES)
def test_a_value_that_nothing_holds_is_a_sentence(each_shop: Workshop, fields: dict[str, Any]):
    shop = each_shop
    batch = shop.sent(1)
    _answer_the_end_with(shop, batch, fault("notes.read", "altered", fields=fields), **fields)
    result = shop.run(reconcile_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["batch.unreadable_notes"])
    shop.follow(batch)
    assert (shop.states(batch), shop.incidents()) == ([ACCEPTED], [])


def test_a_closed_batch_is_listed_only_after_its_count_changed(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(3)
    listed = shop.asked("batches.notes")
    result = shop.run(recheck_batch, batch)
    assert (result.ending, dict(result.counts), shop.asked("batches.notes")) == ("done", {"cancelled": 0}, listed)
    victim = shop.notes(batch)[0]
    shop.act("cancel", note_id=victim.remote_id)
    assert dict(shop.run(recheck_batch, batch).counts) == {"cancelled": 1}
    assert shop.asked("batches.notes") == listed + 1
    assert shop.notes(batch)[0].state is CANCELLED
    assert shop.incidents() == ["state.not_commanded"]
    assert shop.run(recheck_batch, batch).ending == "done"
    assert shop.asked("batches.notes") == listed + 1


def test_a_note_added_later_is_reported_at_the_next_count(shop: Workshop):
    batch = shop.processed(2)
    shop.act("add", note_id=shop.there()[0]["id"], serie="X", number=1)
    shop.run(recheck_batch, batch)
    assert shop.incidents() == ["batch.foreign_note"]


def test_a_listing_a_day_later_finds_what_counters_hide(each_shop: Workshop):
    """An edit and a swap leave the counters unchanged."""
    shop = each_shop
    batch = shop.processed(3)
    victim = shop.notes(batch)[1]
    shop.act("edit", note_id=victim.remote_id, service_values={"service_amount": "999.99"})
    shop.write(age, DAY_S)
    assert shop.run(recheck_batch, batch).ending == "done"
    (incident,) = shop.read(incidents.incidents_open)
    assert (incident.code, incident.params, incident.batch_id) == ("batch.note_differs", {"number": 2}, batch)
    shop.write(incidents.close_incidents, by="ana", batch_id=batch)

    shop.write(age, 30 * DAY_S)
    listed = shop.asked("batches.notes")
    shop.run(recheck_batch, batch)
    assert (shop.asked("batches.notes"), shop.incidents()) == (listed + 1, [])


def test_a_closed_batch_is_listed_after_a_day_and_every_thirty(shop: Workshop):
    batch = shop.processed(2)
    listed = []
    for days in (1, 1, 27, 3, 28, 5, 35):
        before = shop.asked("batches.notes")
        shop.write(age, days * DAY_S)
        shop.run(recheck_batch, batch)
        listed.append(shop.asked("batches.notes") - before)
    assert listed == [1, 0, 0, 1, 0, 1, 1]


def test_with_a_setting_only_counters_are_looked_at(shop: Workshop):
    shop.set(PROTOCOL__RELIST_DAYS="0")
    batch = shop.processed(2)
    listed = shop.asked("batches.notes")
    shop.write(age, DAY_S)
    shop.run(recheck_batch, batch)
    assert shop.asked("batches.notes") == listed


def test_only_a_closed_batch_is_recounted(shop: Workshop):
    batch = shop.sent(1)
    assert shop.run(recheck_batch, batch).ending == "busy"


def test_totals_are_those_of_what_was_accepted(shop: Workshop):
    shop.processed(3)
    assert shop.read(invoices.accepted_cents) == 10_001 + 10_002 + 10_003
    assert shop.read(batches.batches_where)[0].total_cents == 30_006
