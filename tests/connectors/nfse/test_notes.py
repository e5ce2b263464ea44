"""Notes: what is posted, what is read back, and the errors for an answer that differs."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from connectors.http.errors import Disturbed, Doubtful, NotFound, Refused, Unreadable
from connectors.nfse.notes import AMOUNTS as AMOUNT_NAMES
from connectors.nfse.notes import NoteCalls, NoteError, read_note
from connectors.nfse.whole_notes import WholeNote
from domain.money import from_wire
from tests.connectors.nfse.samples import AMOUNTS, EMITTED_AT, body, content, staged


def test_a_staged_note_says_everything_that_has_to_be_compared(ask):
    batch, (posted,) = ask(staged)
    note = posted.note
    assert posted.http_status == 201
    assert (note.status, note.is_complete, note.batch_id, note.serie, note.number) == ("created", True, batch, "F", 1)
    assert note.amounts == {name: from_wire(text) for name, text in AMOUNTS.items()}
    assert set(AMOUNTS) == set(AMOUNT_NAMES)
    assert note.taker_document == "99000010000194"
    assert note.emission_at == EMITTED_AT
    assert note.competence == date(2026, 11, 1)
    assert note.errors == ()
    assert (note.nfse_number, note.nfse_key) == (None, None)
    assert posted.wire.requests == 1
    assert posted.wire.first_byte_at <= posted.wire.last_byte_at


def test_read_and_listed_alike(ask):
    async def talk(client):
        batch, (posted,) = await staged(client)
        (page,) = [page async for page in client.batches.notes(batch)]
        return posted.note, await client.notes.read(posted.note.id), page.items[0]

    posted, read, listed = ask(talk)
    assert posted == read == listed


def test_a_provider_that_ignores_the_batch_issues_visibly(ask, sandbox):
    sandbox.switch(batch_id="ignore")
    _, (posted,) = ask(staged)
    assert posted.http_status == 202
    assert posted.note.status in {"processing", "scheduled", "accepted"}
    assert posted.note.batch_id is None


def test_deleting_ours_and_what_is_gone_or_sent(ask):
    async def talk(client):
        batch, (first, second) = await staged(client, 2)
        await client.notes.delete(first.note.id)
        with pytest.raises(NotFound):
            await client.notes.delete(first.note.id)
        with pytest.raises(NotFound):
            await client.notes.read(first.note.id)
        await client.batches.send(batch)
        with pytest.raises(Disturbed) as caught:
            await client.notes.delete(second.note.id)
        return caught.value

    error = ask(talk)
    assert (error.status, error.keys) == (422, ("rps",))


def test_a_refused_row_gets_its_reason(ask):
    async def talk(client):
        batch = await client.batches.create(1, "lote")
        values = {**content()["service_values"], "service_item_code": None}
        with pytest.raises(Refused) as caught:
            await client.notes.create(body(client, batch.id, 1, service_values=values))
        return caught.value

    error = ask(talk)
    assert error.status == 422
    assert "service_values.service_item_code" in error.messages


LOST_AFTER_THE_WORK = ("lose_answer", "truncated", "truncated_head", "malformed")
LOST_BEFORE_IT = ("status_500", "status_503", "reset_before", "reset_after", "close_after")


@pytest.mark.parametrize("kind", [*LOST_AFTER_THE_WORK, *LOST_BEFORE_IT])
def test_a_missing_answer_is_a_doubt_and_one_post(ask, sandbox, kind):
    async def talk(client):
        batch = await client.batches.create(1, "lote")
        sandbox.faults({"operation": "notes.create", "kind": kind})
        with pytest.raises(Doubtful) as caught:
            await client.notes.create(body(client, batch.id, 1))
        return caught.value.wire, [note.number async for page in client.batches.notes(batch.id) for note in page.items]

    wire, numbers = ask(talk)
    assert wire.was_begun
    assert numbers == ([1] if kind in LOST_AFTER_THE_WORK else [])
    assert sandbox.record()["violations"] == []


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"id": None}, Doubtful),
        ({"id": "7"}, Doubtful),
        ({"id": True}, Doubtful),
        ({"status": 3}, Disturbed),
        ({"number": 1.5}, Disturbed),
        ({"number": True}, Disturbed),
        ({"batch_id": "none"}, Disturbed),
        ({"service_values": []}, None),
        ({"service_values": {"service_amount": "1.234,56"}}, Disturbed),
        ({"service_values": {"service_amount": 0.005}}, Disturbed),
        ({"service_values": ["x"]}, Disturbed),
        ({"emission_date": "20/11/2026"}, Disturbed),
        ({"emission_date": 5}, Disturbed),
        ({"taker": "x"}, Disturbed),
        ({"errors": [7]}, Disturbed),
    ],
)
def test_a_creation_that_cannot_be_read_exists_all_the_same(ask, sandbox, fields, kind):
    sandbox.faults({"operation": "notes.create", "kind": "altered", "fields": fields})

    async def talk(client):
        try:
            _, (posted,) = await staged(client)
        except (Doubtful, Disturbed) as error:
            return error
        return posted.note.amounts

    found = ask(talk)
    if kind is None:
        assert found == {}  # Nothing to compare with: the caller sees that amounts are missing.
    else:
        assert type(found) is kind
        assert found.remote_id == (1 if kind is Disturbed else None)


def test_a_note_that_cannot_be_read_later_is_unreadable(ask, sandbox):
    async def talk(client):
        _, (posted,) = await staged(client)
        sandbox.faults({"operation": "notes.read", "kind": "altered", "fields": {"number": "one"}})
        with pytest.raises(Unreadable):
            await client.notes.read(posted.note.id)

    ask(talk)


def test_rejections_come_with_their_reasons(ask, sandbox):
    sandbox.switch(advance="at_once", rejection_share=1.0)

    async def talk(client):
        batch, _ = await staged(client)
        await client.batches.send(batch)
        for _ in range(20):
            pages = [page async for page in client.batches.notes(batch, "rejected")]
            if pages[0].items:
                return pages[0].items[0]
        return None

    note = ask(talk)
    assert note.status == "rejected"
    assert all(isinstance(error, NoteError) for error in note.errors)


# --- shapes ------------------------------------------------------------------------------------------------------

LEAST = {"id": 7, "status": "created"}


def test_an_incomplete_note_is_read_too():
    values = dict.fromkeys(AMOUNTS) | {"deduction_amount": "0.00"}
    least = {**LEAST, "is_complete": False, "emission_date": "", "competence": ""}
    for blank in (None, ""):
        found = {name: value or blank for name, value in values.items()}
        note = read_note({**least, "taker": None, "service_values": found, "nfse_errors": None})
        assert (note.is_complete, note.taker_document, note.amounts) == (False, None, {"deduction_amount": 0})
        assert (note.emission_at, note.competence) == (None, None)


def test_amounts_are_read_by_their_observed_names_too():
    """An answer by the observed names has every amount that a note is compared by."""
    values: dict[str, Any] = dict.fromkeys(AMOUNT_NAMES, "0.00")
    values |= {"service_amount": "1000.0", "retained_iss_amount": None}
    values |= {"unconditioned_discount": "1.50", "other_retentions": "0", "retained_iss": False}
    del values["unconditioned_discount_amount"], values["other_retentions_amount"]
    note = read_note({**LEAST, "service_values": values})
    asked = dict.fromkeys(AMOUNT_NAMES, 0) | {"service_amount": 100_000, "unconditioned_discount_amount": 150}
    assert note.amounts == asked
    whole = WholeNote.model_validate({**LEAST, "service_values": values}).service_values
    assert whole is not None
    assert (whole.unconditioned_discount_amount, whole.other_retentions_amount) == ("1.50", "0")
    unknown = read_note({**LEAST, "service_values": {**values, "retained_iss": True}})
    assert "retained_iss_amount" not in unknown.amounts


@pytest.mark.parametrize("name", ["errors", "nfse_errors"])
def test_errors_under_either_name(name):
    found = [{"code": "E30", "description": "unknown item", "tip": None}, {"code": 500}]
    note = read_note({**LEAST, name: found})
    assert note.errors == (NoteError("E30", "unknown item", ""), NoteError("500", "", ""))
    assert note.errors[0].to_json() == {"code": "E30", "description": "unknown item", "tip": ""}
    assert read_note({**LEAST, name: ["Falhou"]}).errors == (NoteError("", "Falhou", ""),)


def test_a_note_with_other_types_is_read():
    values = {"service_amount": 1000, "iss_amount": 4.99, "pis_amount": "0.5"}
    note = read_note(
        {**LEAST, "number": "77", "serie": 5, "batch_id": "9", "emitter_id": "1", "nfse_number": 12}
        | {"service_values": values, "taker": {"cpf": "990.000.001-30", "cnpj": None}, "nfse_key": ""}
    )
    assert (note.number, note.serie, note.batch_id, note.emitter_id) == (77, "5", 9, 1)
    assert note.amounts == {"service_amount": 100_000, "iss_amount": 499, "pis_amount": 50}
    assert note.taker_document == "99000000130"
    assert (note.nfse_number, note.nfse_key) == ("12", None)


def test_only_true_is_complete():
    assert not read_note({**LEAST, "is_complete": "true"}).is_complete
    assert not read_note(LEAST).is_complete


# --- bodies ------------------------------------------------------------------------------------------------------


def test_the_body_joins_content_batch_and_number():
    raw = NoteCalls.body(content(), batch_id=9, serie="F", number=77, emission_at=EMITTED_AT)
    assert json.loads(raw) == {
        **content(),
        "batch_id": 9,
        "serie": "F",
        "number": 77,
        "emission_date": "2026-11-20T12:30:00-03:00",
    }
    assert "Serviços".encode() in raw


def test_a_sheets_own_emission_date_goes_first():
    own = content(emission_date="2026-11-30T10:00:00-03:00")
    raw = NoteCalls.body(own, batch_id=9, serie="F", number=77, emission_at=EMITTED_AT)
    assert json.loads(raw)["emission_date"] == "2026-11-30T10:00:00-03:00"


def test_the_last_evening_of_a_month_stays_in_it():
    at = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=-3))).astimezone(UTC)
    raw = NoteCalls.body(content(), batch_id=9, serie="F", number=77, emission_at=at)
    assert json.loads(raw)["emission_date"] == "2026-11-30T23:30:00-03:00"


@pytest.mark.parametrize(
    ("more", "emission_at"),
    [
        ({"batch_id": 1}, EMITTED_AT),
        ({"number": 1}, EMITTED_AT),
        ({"serie": "A"}, EMITTED_AT),
        ({}, None),
        ({}, EMITTED_AT.replace(tzinfo=None)),
    ],
)
def test_a_body_that_would_be_ambiguous_is_not_built(more, emission_at):
    with pytest.raises(ValueError, match=r"content must not hold|emission date"):
        NoteCalls.body(content(**more), batch_id=9, serie="F", number=77, emission_at=emission_at)
