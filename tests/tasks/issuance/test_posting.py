"""Posting: the first note alone, every answer compared in every field, and no further note after a difference."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from configs.catalogue import LANGUAGES, Catalogue
from configs.load import load_settings
from connectors.http.errors import (
    Broken,
    Busy,
    Conflict,
    ConnectorError,
    Denied,
    Disturbed,
    Doubtful,
    Refused,
    TooLate,
    Unreachable,
)
from connectors.ledger import parties
from connectors.nfse.issuing.invoices import AMOUNTS
from domain.competence import add_months
from domain.issuing import Capabilities, EmitterRef, Receipt, RemoteInvoice
from domain.states import InvoiceState
from tasks.issuance.answers import differing_field
from tasks.issuance.posting import outcome_of
from tasks.runtime import Runtime, answer_s
from tasks.stations.stage import stage_batch
from tests.tasks.rows import company, line, lines
from tests.tasks.workshop import Workshop, fault, remarks

CREATED, RESERVED, IN_DOUBT = InvoiceState.CREATED, InvoiceState.RESERVED, InvoiceState.IN_DOUBT


def test_a_provider_ignoring_batch_id_costs_at_most_one_note(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.switch(batch_id="ignore")
    batch = shop.planned(12)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.answer_differs"])
    assert shop.batch(batch).state == "disturbed"
    (issued,) = shop.there()
    assert (issued["serie"], issued["number"]) == ("F", 1)
    assert set(shop.incidents()) == {"batch.answer_differs", "state.not_commanded"}
    first, *others = shop.notes(batch)
    assert (first.remote_id, first.state in {InvoiceState.PROCESSING, InvoiceState.ACCEPTED}) == (issued["id"], True)
    assert {note.state for note in others} == {RESERVED}
    # Nothing continues automatically.
    assert shop.run(stage_batch, batch).ending == "busy"
    assert shop.asked("notes.create") == 1


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"status": "scheduled"}, "status"),
        ({"status": "waiting for rain"}, "status"),
        ({"is_complete": None}, "is_complete"),
        ({"batch_id": None}, "batch_id"),
        ({"serie": "G"}, "serie"),
        ({"number": 2}, "number"),
        ({"service_values": {"iss_amount": "2.01"}}, "iss_cents"),
    ],
)
def test_an_answer_that_differs_in_one_field_stops_the_batch(shop: Workshop, fields, named):
    shop.sandbox.faults(fault("notes.create", "altered", fields=fields))
    batch = shop.planned(3)
    result = shop.run(stage_batch, batch)
    assert result.ending == "disturbed"
    assert [(each.code, each.params["field"]) for each in result.remarks] == [("batch.answer_differs", named)]
    assert (shop.batch(batch).state, shop.asked("notes.create")) == ("disturbed", 1)
    first, *others = shop.notes(batch)
    assert first.remote_id == shop.there()[0]["id"]
    assert first.state not in {RESERVED, InvoiceState.POSTING}
    assert {note.state for note in others} == {RESERVED}


@pytest.mark.parametrize(
    ("taker", "theirs"),
    [
        ({"cnpj": company(77).number}, f"{company(77).formatted} Tomador 1 Ltda"),
        ({"social_reason": "Outra Empresa"}, f"{company(1).formatted} Outra Empresa"),
    ],
)
def test_an_answer_with_another_customer_stops_this_batch(each_shop: Workshop, taker, theirs):
    shop = each_shop
    shop.sandbox.faults(fault("notes.create", "altered", fields={"taker": taker}))
    batch = shop.planned(3)
    result = shop.run(stage_batch, batch)
    (remark,) = result.remarks
    assert (result.ending, remark.code, shop.asked("notes.create")) == ("disturbed", "batch.other_customer", 1)
    assert (remark.params["theirs"], remark.params["ours"]) == (theirs, f"{company(1).formatted} Tomador 1 Ltda")
    assert shop.states(batch) == [CREATED, RESERVED, RESERVED]
    _, (other,) = shop.assembled(*lines(2, first=10))
    assert shop.run(stage_batch, other).ending == "done"


def test_every_field_of_an_answer_is_compared(shop: Workshop):
    batch = shop.staged(1)
    (invoice,) = shop.notes(batch)

    async def read(runtime: Runtime) -> tuple[Capabilities, EmitterRef, RemoteInvoice]:
        issuer = runtime.issuer("nfse")
        emitter = await runtime.ledger.read_async(parties.emitter_of, invoice.emitter_id)
        return issuer.capabilities, emitter.ref, await issuer.read(emitter.ref, shop.there()[0]["id"])

    capabilities, emitter, good = shop.run(read)

    def differing(*, is_as_documented: bool = True, **changes: Any) -> str | None:
        receipt = Receipt(
            answered=replace(good, **changes),
            http_status=201,
            is_as_documented=is_as_documented,
            last_byte_at=None,
        )
        found = differing_field(capabilities, invoice, receipt, good.batch_id, emitter, emission_at=good.issued_at)
        # a person reads the field's name in the incident
        assert found is None or all(
            words.field(found) != found or f"field.{found}" in words.entries for words in map(Catalogue.load, LANGUAGES)
        )
        return found

    assert differing() is None
    assert differing(is_as_documented=False) == "http_status"
    assert differing(state=InvoiceState.ACCEPTED) == "status"
    last_month = {"competence": add_months(invoice.competence, -1)}
    for changes in (
        {"is_complete": False},
        {"batch_id": 99},
        {"serie": None},
        {"number": None},
        {"emitter_id": 99},
        last_month,
    ):
        assert differing(**changes) == next(iter(changes))
    for other in ({"customer_document": None}, {"customer_document": "1"}, {"customer_name": "Outra"}):
        assert differing(**other) == "customer"
    assert differing(customer_name="TOMADOR 1, LTDA.") is None
    assert good.issued_at is not None
    assert differing(issued_at=good.issued_at + timedelta(days=1)) == "emission_at"
    ours = json.loads(invoice.content)
    shown = (set(ours) | set(ours["rates"])) & set(good.shown)
    unseen = {"emitter_cnpj", "taker_id", "taker_document", "taker_name", "competence", "amounts", "rates"}
    assert set(ours) - unseen <= shown
    for name in shown:
        assert differing(shown={**good.shown, name: "9"}) == name
    assert differing(shown={}) is None
    assert set(AMOUNTS) == set(invoice.amounts)
    for name in AMOUNTS:
        for cents in (invoice.amounts[name] + 1, None):
            assert differing(amounts={**good.amounts, name: cents}) == name


def test_a_first_note_answered_with_a_known_id_is_the_last(each_shop: Workshop):
    """The ledger shows that when its answer is written, at the moment in which the next would begin."""
    shop = each_shop
    (known,) = shop.notes(shop.staged(1))
    _, batches = shop.assembled(*lines(5, first=2))
    shop.sandbox.faults(fault("notes.create", "altered", fields={"id": known.remote_id}))
    result = shop.run(stage_batch, batches[0])
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.id_seen_before"])
    assert shop.asked("notes.create") == 1 + 1
    assert shop.states(batches[0]) == [IN_DOUBT, *[RESERVED] * 4]


def test_the_second_note_waits_until_the_first_is_unissued(shop: Workshop):
    """Until one answer matches, notes are posted one by one, whatever the answers before."""
    shop.sandbox.faults(fault("notes.create", "altered", after=2, fields={"status": "scheduled"}))
    batch = shop.planned(8)
    shop.forget_taker(1)
    shop.forget_taker(2)
    assert shop.run(stage_batch, batch).ending == "disturbed"
    assert shop.asked("notes.create") == 3
    assert shop.states(batch)[:2] == [InvoiceState.REFUSED] * 2
    assert shop.states(batch)[3:] == [RESERVED] * 5


def test_after_the_first_note_each_group_is_whole(shop: Workshop):
    in_flight = 2
    shop.set(NFSE__IN_FLIGHT=in_flight)
    batch = shop.staged(1 + 4 * in_flight)
    # One statement writes the intents of a group, so they have one instant.
    sizes = Counter(each.begun_at for each in shop.attempts(batch, "post")).values()
    assert sorted(sizes) == [1, 2 * in_flight, 2 * in_flight]


def test_a_difference_on_the_way_stops_what_has_not_begun(shop: Workshop):
    shop.set(NFSE__IN_FLIGHT=2)
    shop.sandbox.faults(
        fault("notes.create", "altered", after=4, count=1, fields={"batch_id": None}),
        # Otherwise its answer might be read first, and another post would begin.
        fault("notes.create", "slow", after=5, count=1, seconds=0.3),
    )
    batch = shop.planned(30)
    assert shop.run(stage_batch, batch).ending == "disturbed"
    still_in_flight = 2 - 1
    assert 5 <= shop.asked("notes.create") <= 5 + still_in_flight
    states = shop.states(batch)
    # Await the posts in flight: a discarded answer would be a doubt of our own making.
    assert {states.count(state) for state in (InvoiceState.POSTING, IN_DOUBT)} == {0}
    assert states.count(CREATED) == shop.asked("notes.create")
    assert states.count(RESERVED) == 30 - shop.asked("notes.create")


def test_a_refused_row_keeps_its_reason_and_stops_nobody(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(4)
    shop.forget_taker(3)
    result = shop.run(stage_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"staged": 3, "refused": 1})
    refused = shop.notes(batch)[2]
    assert refused.state is InvoiceState.REFUSED
    assert [error["code"] for error in refused.errors] == ["provider.refused_field"]
    assert refused.errors[0]["params"]["field"].startswith("taker")
    assert shop.batch(batch).count == 3


def test_a_refusal_about_the_number_is_no_problem_of_the_row(shop: Workshop):
    """Somebody else uses our next number after our look at the serie: we post nothing more, and blame no row."""
    shop.sandbox.switch(duplicate_rps="refuse")
    batch = shop.planned(6)
    shop.sandbox.faults(fault("notes.create", "act", act={"do": "add", "number": 2}))
    result = shop.run(stage_batch, batch)
    assert remarks(result) == ["batch.post_disturbed"]
    assert InvoiceState.REFUSED not in shop.states(batch)
    assert shop.states(batch)[1] is IN_DOUBT
    assert shop.batch(batch).state == "disturbed"


def test_a_failing_provider_rests_after_a_few_failures(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "status_500", after=1, count=500))
    batch = shop.planned(60)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.resting"])
    assert shop.asked("notes.create") <= 1 + 10 + 2 * 4
    states = shop.states(batch)
    assert states.count(RESERVED) >= 60 - 19
    assert states.count(IN_DOUBT) == shop.asked("notes.create") - 1


def test_a_first_note_without_an_answer_goes_alone(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "lose_answer"))
    batch = shop.planned(6)
    assert shop.run(stage_batch, batch).ending == "done"
    asked = [each["operation"] for each in shop.record()["requests"]]
    first, second = [place for place, operation in enumerate(asked) if operation == "notes.create"][:2]
    assert "batches.notes" in asked[first:second]
    assert asked.count("notes.create") == 6


def test_a_provider_that_asks_to_wait_has_been_sent_nothing(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "status_429"))
    batch = shop.planned(3)
    result = shop.run(stage_batch, batch)
    assert (result.ending, remarks(result)) == ("waiting", ["provider.down"])
    assert shop.states(batch) == [RESERVED] * 3
    assert [attempt.outcome for attempt in shop.attempts(batch, "post")] == ["not_sent"]
    assert shop.run(stage_batch, batch).ending == "done"
    assert [note["number"] for note in shop.there()] == [1, 2, 3]


def test_every_note_is_journalled_before_and_after_its_post(shop: Workshop):
    batch = shop.staged(9)
    attempts = shop.attempts(batch, "post")
    assert [attempt.invoice_id for attempt in attempts] == [note.id for note in shop.notes(batch)]
    assert {(attempt.outcome, attempt.status) for attempt in attempts} == {("done", 201)}
    assert {attempt.remote_id for attempt in attempts} == {note["id"] for note in shop.there()}


def test_notes_state_their_staging_date_unless_the_sheet_does(shop: Workshop):
    at = datetime.now(UTC).replace(microsecond=0)
    (batch,) = shop.assembled(line(1), line(2, emission_at=at))[1]
    shop.run(stage_batch, batch)
    first, second = (datetime.fromisoformat(note["emission_date"]) for note in shop.there())
    emission_at = shop.batch(batch).emission_at
    assert emission_at is not None
    assert (first, second) == (emission_at.replace(microsecond=0), at)


def test_each_error_has_its_word_in_the_journal():
    words: dict[str, list[type[ConnectorError]]] = {
        "not_sent": [Unreachable, TooLate, Busy],
        "refused": [Refused, Conflict],
        "disturbed": [Disturbed],
        "in_doubt": [Doubtful, Denied, Broken],
    }
    for word, kinds in words.items():
        assert {outcome_of(kind("POST x")) for kind in kinds} == {word}


def test_no_write_begins_if_its_answer_may_outlast_the_lease():
    settings = load_settings("local", {"requests": {"timeout_s": 0.5}, "protocol": {"clock_skew_s": 2.0}})
    assert answer_s(settings) == 0.5 + 2.0
