"""Releasing: one send for exactly what was approved, and a missing answer is looked up."""

from datetime import UTC, datetime, timedelta

import pytest

from connectors.ledger import approvals
from connectors.ledger.approvals import NotApprovable
from domain.competence import add_months
from domain.staff import Actor
from domain.states import Entity, InvoiceState
from tasks.issuance.discard import discard_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.approving import approve_batch
from tests.tasks.rows import company, line, this_month
from tests.tasks.workshop import Workshop, fault, remarks

CREATED, SCHEDULED = InvoiceState.CREATED, InvoiceState.SCHEDULED

DAY_MICROS = 86_400_000_000


@pytest.mark.both_databases
def test_an_approved_batch_is_sent_once(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(4)
    result = shop.run(release_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"sent": 4})
    assert (shop.batch(batch).state, set(shop.states(batch))) == ("scheduled", {SCHEDULED})
    assert {note["was_sent"] for note in shop.there()} == {True}
    assert shop.run(release_batch, batch).ending == "busy"
    assert shop.asked("batches.send") == 1
    assert "sent" in shop.reasons(Entity.BATCH, batch)


@pytest.mark.parametrize(
    ("act", "code"),
    [
        ({"do": "edit", "service_values": {"service_amount": "1.00"}}, "batch.note_differs"),
        ({"do": "edit", "fields": {"competence": "2026-01-01"}}, "batch.note_differs"),
        ({"do": "taker"}, "batch.other_customer"),
        ({"do": "swap"}, "batch.foreign_note"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_change_since_the_proof_prevents_the_send(each_shop: Workshop, act, code):
    shop = each_shop
    shop.sandbox.switch(taker_copied="no")
    batch = shop.approved(3)
    victim = shop.notes(batch)[1]
    if act["do"] == "swap":
        shop.act("add", batch_id=shop.remote(batch), number=900)
        shop.act("delete", note_id=victim.remote_id)
    elif act["do"] == "taker":
        _, found, _ = shop.sandbox.call("GET", f"/api/v1/takers?cnpj={company(2).number}")
        shop.sandbox.call("PATCH", f"/api/v1/takers/{found['collection'][0]['id']}", {"cnpj": company(77).number})
    else:
        shop.act(**act, note_id=victim.remote_id)
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", [code])
    assert shop.asked("batches.send") == 0


EDITS = (
    {"service_values": {"description": "Outro serviço"}},
    {"service_values": {"service_item_code": "0107"}},
    {"service_values": {"city_tax_code": "010702"}},
    {"service_values": {"city_code": 3_550_308}},
    {"service_values": {"iss_percentage": "2.00", "iss_amount": "5.00"}},
    {"service_values": {"retained_iss": True, "retained_iss_amount": "0.00"}},
    {"fields": {"send_nfse_taker": True}},
    {"fields": {"other_informations": "Pagar em outra conta"}},
    {"fields": {"operation_nature": 3}},
    {"fields": {"rps_situation": 2}},
    {"fields": {"emission_date": "2026-01-02T10:00:00-03:00"}},
)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: next(iter(next(iter(edit.values())))))
def test_an_edit_that_leaves_the_amounts_prevents_the_send(shop: Workshop, edit):
    batch = shop.approved(2)
    shop.act("edit", note_id=shop.notes(batch)[1].remote_id, **edit)
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.note_differs"])
    assert shop.asked("batches.send") == 0


def test_the_same_values_in_another_form_are_no_edit(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(1)
    (note,) = shop.there()
    values = shop.sandbox.call("GET", f"/api/v1/nfse/{note['id']}")[1]["service_values"]
    rewritten = {
        "description": f" {values['description']} \n",
        "service_item_code": "1.05",
        "city_tax_code": "01.05.01",
        "cnae_code": None,
        "city_code": str(values["city_code"]),
        "pis_percentage": "0.00",
    }
    shop.act("edit", note_id=note["id"], service_values=rewritten, fields={"rps_situation": "1"})
    assert shop.run(release_batch, batch).ending == "done"


def test_numbers_that_a_copy_of_the_ledger_used_too_are_not_sent(each_shop: Workshop):
    """Both looked at an unused serie and posted the same numbers: the provider's record shows the last post of all."""
    shop = each_shop
    batch = shop.approved(3)
    shop.post_as_somebody_else(number=3)
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["serie.foreign_note"])
    assert (shop.asked("batches.send"), shop.incidents()) == (0, ["serie.foreign_note"])


def test_without_a_yes_nothing_is_sent(shop: Workshop):
    batch = shop.staged(2)
    assert shop.run(release_batch, batch).ending == "busy"
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("staged", 0)


def test_a_lost_answer_is_looked_up_and_nothing_sent_again(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(3)
    shop.sandbox.faults(fault("batches.send", "lose_answer"))
    result = shop.run(release_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"sent": 3})
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("scheduled", 1)
    # Somebody else may have sent it: the journal says that it was found sent.
    assert "found sent" in shop.reasons(Entity.BATCH, batch)


def test_a_send_that_never_arrived_is_repeated_after_quiet_time(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(3)
    shop.sandbox.faults(fault("batches.send", "reset_before"))
    first = shop.run(release_batch, batch)
    assert (first.ending, remarks(first)) == ("waiting", ["batch.send_in_doubt"])
    assert shop.run(release_batch, batch).ending == "waiting"
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("sending", 1)
    assert shop.run_quiet(release_batch, batch).ending == "waiting"
    assert shop.batch(batch).state == "approved"
    assert shop.run(release_batch, batch).ending == "done"
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("scheduled", 2)


def test_a_busy_provider_is_asked_before_it_gets_another_send(shop: Workshop):
    batch = shop.approved(2)
    shop.sandbox.faults(fault("batches.send", "status_429", seconds=300))
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.busy"])
    assert shop.batch(batch).state == "sending"
    assert (shop.batch(batch).due_at - datetime.now(UTC)).total_seconds() > 200
    # Nor does any worker ask it anything else meanwhile.
    assert remarks(shop.run(release_batch, batch)) == ["provider.resting"]
    shop.write(lambda conn: conn.exec_driver_sql("UPDATE rate_limits SET next_at = 0"))
    assert shop.run(release_batch, batch).ending == "waiting"
    assert shop.batch(batch).state == "approved"
    assert shop.run(release_batch, batch).ending == "done"
    assert shop.asked("batches.send") == 2


@pytest.mark.both_databases
def test_a_busy_answer_to_a_successful_send_is_no_foreign_send(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(2)
    shop.sandbox.faults(fault("batches.send", "status_429", when="after", seconds=0))
    shop.run(release_batch, batch)
    shop.write(lambda conn: conn.exec_driver_sql("UPDATE rate_limits SET next_at = 0"))
    assert shop.run(release_batch, batch).ending == "done"
    assert (shop.batch(batch).state, shop.asked("batches.send"), shop.incidents()) == ("scheduled", 1, [])


@pytest.mark.parametrize("act", [{"do": "add", "number": 900}, {"do": "delete", "note_id": 1}])
def test_another_count_than_was_approved_is_not_sent(each_shop: Workshop, act):
    shop = each_shop
    batch = shop.approved(3)
    shop.act(**{"batch_id": shop.remote(batch), **act})
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.counters_differ"])
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("disturbed", 0)


def test_somebody_who_sends_it_first_is_noticed(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(3)
    shop.act("send", batch_id=shop.remote(batch))
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.sent_by_other"])
    assert shop.asked("batches.send") == 0
    shop.decide(batch, "sent")
    shop.follow(batch)
    assert set(shop.states(batch)) == {InvoiceState.ACCEPTED}


def test_somebody_who_sends_it_in_the_last_moment_is_noticed(shop: Workshop):
    """Between our look and our send: the provider refuses the second one, and the batch shows that it was sent."""
    batch = shop.approved(3)
    shop.sandbox.faults(fault("batches.read", "act", act={"do": "send"}))
    result = shop.run(release_batch, batch)
    assert (result.ending, shop.batch(batch).state) == ("done", "scheduled")
    assert shop.record()["violations"] == []


def test_a_batch_grown_during_a_doubtful_send_needs_a_person(shop: Workshop):
    batch = shop.approved(3)
    shop.sandbox.faults(fault("batches.send", "reset_before"))
    shop.run(release_batch, batch)
    shop.act("add", batch_id=shop.remote(batch), number=900)
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.counters_differ"])


def test_a_refused_send_needs_a_person(shop: Workshop):
    """It refuses, and the batch still waits there: repeating the request would get the same answer."""
    batch = shop.approved(2)
    shop.act("delete", note_id=1)
    shop.act("delete", note_id=2)
    shop.sandbox.faults(fault("batches.read", "altered", fields={"properties": {"created": 2, "total": 2}}, count=2))
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["provider.disturbed"])
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("disturbed", 1)


def test_a_yes_to_what_has_changed_since_is_refused(shop: Workshop):
    batch = shop.staged(2)
    shown = shop.batch(batch)
    shop.reopen(batch)
    shop.run(stage_batch, batch)
    assert shop.batch(batch).digest != shown.digest
    with shop.context() as context, pytest.raises(NotApprovable):
        approve_batch(context, shown, actor=Actor("Ana"))


def test_a_yes_is_void_once_the_batch_was_opened_again(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(2)
    shop.reopen(batch)
    assert shop.read(approvals.valid_approval, batch) is None
    shop.run(stage_batch, batch)
    assert shop.run(release_batch, batch).ending == "busy"
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("staged", 0)


@pytest.mark.both_databases
def test_notes_with_an_old_emission_date_are_drafted_again(each_shop: Workshop):
    shop = each_shop
    batch = shop.approved(3)
    earlier = 9 * DAY_MICROS
    shop.write(lambda conn: conn.exec_driver_sql(f"UPDATE batches SET emission_at = emission_at - {earlier}"))
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["date.emission_old"])
    assert (shop.batch(batch).state, shop.read(approvals.valid_approval, batch)) == ("discarding", None)
    assert dict(shop.run(discard_batch, batch).counts) == {"deleted": 3, "retired": 0}
    assert shop.there() == []
    (fresh,) = [record for record in shop.batches() if record.state == "planned"]
    assert [note.number for note in shop.notes(fresh.id)] == [4, 5, 6]
    assert [note.follows_id for note in shop.notes(fresh.id)] == [note.id for note in shop.notes(batch)]
    shop.run(stage_batch, fresh.id)
    shop.approve()
    assert shop.run(release_batch, fresh.id).ending == "done"
    assert shop.record()["violations"] == []


@pytest.mark.parametrize("ahead", [timedelta(minutes=-10), timedelta(days=9)])
def test_the_ledgers_clock_judges_its_own_instants(shop: Workshop, ahead: timedelta):
    batch = shop.approved(2)
    assert shop.run_ahead(ahead, release_batch, batch).ending == "done"


@pytest.mark.parametrize("ahead", [-3, 14])
def test_a_date_that_the_issuers_clock_denies_is_not_sent(each_shop: Workshop, ahead: int):
    shop = each_shop
    batch = shop.approved(2)
    shop.sandbox.control("clock", {"ahead_s": ahead * 86_400})
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.clock_differs"])
    assert (shop.batch(batch).state, shop.asked("batches.send")) == ("disturbed", 0)
    # It was the issuer's clock that was wrong: the same invoices are sent.
    shop.sandbox.control("clock", {"ahead_s": -ahead * 86_400})
    shop.decide(batch, "open")
    shop.run(stage_batch, batch)
    shop.approve()
    assert shop.run(release_batch, batch).ending == "done"
    assert shop.asked("notes.create") == 2


def test_a_date_that_the_sheet_gave_is_for_a_person_to_change(shop: Workshop):
    (batch,) = shop.assembled(line(1, emission_at=datetime.now(UTC)), line(2))[1]
    shop.run(stage_batch, batch)
    shop.approve()
    shop.tamper(f"UPDATE invoices SET emission_at = emission_at - {9 * DAY_MICROS}")
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["date.emission_old"])
    assert (len(shop.there()), shop.asked("batches.send")) == (2, 0)


def test_a_month_too_old_to_issue_is_not_drafted_for_ever(shop: Workshop):
    """Its competence is too old for any emission date: new numbers would not help."""
    shop.set(PROTOCOL__ALLOWED_MONTHS_AFTER=3)
    (batch,) = shop.assembled(line(1, competence=add_months(this_month(), -3)))[1]
    shop.run(stage_batch, batch)
    shop.approve()
    shop.set(PROTOCOL__ALLOWED_MONTHS_AFTER=1)
    # an instant that is too old is not what a person has to correct: no instant of today would do
    shop.tamper(f"UPDATE batches SET emission_at = emission_at - {9 * DAY_MICROS}")
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["date.emission_outside"])
    assert shop.asked("batches.send", "notes.delete") == 0


def test_numbers_with_a_hole_that_nobody_explains_are_not_sent(shop: Workshop):
    shop.approved(2)
    (second,) = shop.assembled(line(7))[1]
    shop.run(stage_batch, second)
    shop.approve()
    shop.tamper("UPDATE invoices SET state = 'deleted', is_living = false WHERE number = 1")
    result = shop.run(release_batch, second)
    assert (result.ending, remarks(result)) == ("disturbed", ["serie.unexplained_numbers"])
    assert result.remarks[0].params["numbers"] == "1"
    assert shop.asked("batches.send") == 0


def test_a_number_recorded_for_other_content_is_not_sent(shop: Workshop):
    batch = shop.approved(2)
    shop.tamper("UPDATE numbers SET digest = 'of something else' WHERE number = 2")
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["serie.other_content"])
    assert shop.asked("batches.send") == 0


def test_a_provider_down_before_the_send_changes_nothing(shop: Workshop):
    batch = shop.approved(2)
    shop.sandbox.faults(fault("batches.read", "status_500"))
    result = shop.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.broken"])
    assert shop.batch(batch).state == "approved"
    assert shop.run(release_batch, batch).ending == "done"


def test_a_reopened_batch_keeps_the_date_of_its_notes(shop: Workshop):
    """Staged on one day, opened again on another: the notes at the provider still have the first date."""
    batch = shop.staged(2)
    found = {note["emission_date"] for note in shop.there()}
    before = shop.batch(batch).emission_at
    shop.reopen(batch)
    shop.run(stage_batch, batch)
    assert {note["emission_date"] for note in shop.there()} == found
    assert shop.batch(batch).emission_at == before
