"""A whole note: every variant, its documents, its status and history, and the operations on it."""

import asyncio
from datetime import UTC, date, datetime
from typing import Any

import pytest

from connectors.http.errors import Disturbed, NotFound, Refused, Unreadable
from connectors.nfse.client import NfseClient
from connectors.nfse.note_drafts import IncompleteNote, NoteChanges, ServiceValuesDraft, SubstituteRpsDraft
from connectors.nfse.notes import read_note
from connectors.nfse.takers import AddressDraft, NoteContactDraft, NoteTakerDraft
from connectors.nfse.whole_notes import NoteStatus, WholeNote
from tests.connectors.http.sockets import http, serving, session_to
from tests.connectors.nfse import requests
from tests.connectors.nfse.samples import EMITTED_AT, staged
from tests.sandboxes import TOKEN


@pytest.fixture(autouse=True)
def at_once(sandbox):
    sandbox.switch(advance="at_once")


async def issued(client, note=None):
    return (await client.notes.create(note or requests.rio())).note.id


def test_a_note_of_rio_is_read_in_full(ask):
    inline = NoteTakerDraft(
        cnpj=requests.CNPJ,
        social_reason="Padaria do Cais Ltda",
        address=AddressDraft(street="Rua do Cais"),
        contact=NoteContactDraft(email="contas@cais.example", ddd=21),
    )
    more = {
        "tax_burden_amount": "134.50",
        "tax_burden_percentage": "13.45",
        "tax_burden_source": "IBPT",
        "tax_burden_highlight": True,
        "highlight_retentions": ("ir_amount", "pis_amount"),
        "ir_percentage": "1.50",
        "cnae_code": "6201-5/00",
    }
    sent = requests.rio(more, taker=inline, send_nfse_taker=True, special_regime=3, other_informations="Pedido 7")

    async def talk(client):
        return await client.notes.whole(await issued(client, sent))

    note = ask(talk)
    assert (note.status, note.is_complete, note.serie, note.number) == ("accepted", True, "P", 7)
    assert (note.rps_type, note.rps_situation, note.operation_nature, note.special_regime) == ("1", "1", "1", "3")
    assert (note.emission_date, note.competence) == (EMITTED_AT, date(2026, 11, 1))
    assert (note.send_nfse_taker, note.other_informations, note.emitter_city_code) == (True, "Pedido 7", "3304557")
    assert (note.taker.id, note.taker.cnpj, note.taker.contact.ddd) == (None, requests.CNPJ, 21)
    values = note.service_values
    assert (values.service_amount, values.ir_amount, values.nfse_liquid_amount) == ("1000.00", "15.00", "985.00")
    assert (values.tax_burden_amount, values.tax_burden_percentage, values.tax_burden_source) == (
        "134.50",
        "13.45",
        "IBPT",
    )
    assert (values.tax_burden_highlight, values.highlight_retentions) == (True, ("ir_amount", "pis_amount"))
    assert values.cnae_code == "6201-5/00"


def test_a_note_of_sao_paulo_is_read_in_full(ask):
    address = AddressDraft(city="São Paulo", state="SP")
    inline = NoteTakerDraft(cpf=requests.CPF, social_reason="Ana", address=address)

    async def talk(client):
        return await client.notes.whole(await issued(client, requests.paulista(taker=inline, rps_situation="F")))

    note = ask(talk)
    assert (note.status, note.rps_type, note.rps_situation, note.operation_nature) == ("accepted", "RPS", "F", None)


def test_a_note_may_have_no_taker(ask):
    async def talk(client):
        return await client.notes.whole(await issued(client))

    assert ask(talk).taker is None


def test_a_note_from_a_template_and_what_is_merged_into_it(ask):
    async def talk(client):
        (template,) = await client.service_values.find(1, "Consultoria")
        alone = await client.service_values.create(requests.template(service_amount="50.00"))
        merged = requests.rio(
            {"id": template.id, "service_amount": "1000.00", "description": None, "iss_percentage": None}
        )
        only = {"emitter_id": 1, "serie": "P", "number": 8, "emission_date": "2026-11-20T12:00:00Z"}
        posted = await client.notes.create({**only, "service_values": {"id": alone.id}})
        return await client.notes.whole(await issued(client, merged)), await client.notes.whole(posted.note.id)

    merged, alone = ask(talk)
    assert merged.service_values.nfse_liquid_amount == "938.50"
    assert merged.service_values.description == "Serviços de consultoria em processos"
    assert (alone.service_values.service_amount, alone.service_values.iss_amount) == ("50.00", "2.50")


def test_a_replacing_note_names_the_replaced_one(ask):
    async def talk(client):
        await issued(client)
        again = requests.rio(number=8, substitute_rps=SubstituteRpsDraft(number=7, serie="P", rps_type=1))
        return await client.notes.whole(await issued(client, again))

    replaced = ask(talk).substitute_rps
    assert (replaced.number, replaced.serie, replaced.rps_type) == (7, "P", "1")


def test_the_provider_gives_the_next_number(ask):
    async def talk(client):
        await issued(client)
        return await client.notes.whole(await issued(client, requests.rio(number=None)))

    assert ask(talk).number == 8


@pytest.mark.parametrize("answered", ["processing", "scheduled"])
def test_a_note_alone_is_issued_at_once_under_either_name(ask, sandbox, answered):
    sandbox.switch(lone_status=answered)
    posted = ask(lambda client: client.notes.create(requests.rio()))
    assert (posted.http_status, posted.note.status) == (202, answered)


def test_an_incomplete_note_is_completed_piece_by_piece(ask):
    async def talk(client):
        made = (await client.notes.create(IncompleteNote(emitter_id=1))).note
        empty = await client.notes.whole(made.id)
        piece = NoteChanges(serie="P", number=3, service_values=ServiceValuesDraft(service_amount="10.00"))
        part = await client.notes.update(made.id, piece)
        whole = await client.notes.replace(made.id, requests.rio(number=3))
        with pytest.raises(Disturbed):
            await client.notes.replace(made.id, requests.rio(number=3))
        return made, empty, part, whole, await client.notes.status(made.id)

    made, empty, part, whole, status = ask(talk)
    assert (made.status, made.is_complete, empty.taker) == ("created", False, None)
    assert {"update", "partial_update"} <= set(empty.links)
    assert (empty.service_values.service_amount, empty.service_values.deduction_amount) == (None, "0.00")
    assert (part.is_complete, part.number, part.service_values.service_amount) == (False, 3, "10.00")
    assert (whole.is_complete, whole.service_values.service_amount) == (True, "1000.00")
    assert "update" not in whole.links
    assert status.status == "accepted"


def test_a_missing_note_is_not_found(ask):
    async def talk(client):
        for call in (client.notes.whole, client.notes.status, client.notes.history, client.notes.cancel):
            with pytest.raises(NotFound):
                await call(99)
        for document in (client.notes.mirror, client.notes.xml, client.notes.pdf):
            assert await document(99) is None

    ask(talk)


def test_a_cancellation_changes_status_and_history(ask):
    async def talk(client):
        note = await issued(client)
        status = await client.notes.status(note)
        cancelling = await client.notes.cancel(note)
        with pytest.raises(Disturbed):
            await client.notes.cancel(note)
        return status, cancelling, await client.notes.status(note), await client.notes.history(note)

    status, cancelling, cancelled, history = ask(talk)
    assert (status.status, status.nfse_number, status.number, status.errors) == ("accepted", "1", 7, ())
    assert status.pdf_url.endswith("/pdf")
    assert (cancelling.status, cancelled.status) == ("cancelling", "cancelled")
    assert [entry.to_status for entry in history] == [
        *("created", "scheduled", "processing", "accepted", "cancelling", "cancelled")
    ]
    assert (history[0].from_status, history[0].rps.number, history[0].account.name) == (None, 7, "Grupo Marés e Aurora")


def test_an_unaccepted_invoice_cannot_be_cancelled(ask):
    async def talk(client):
        _, (posted,) = await staged(client)
        with pytest.raises(Disturbed):
            await client.notes.cancel(posted.note.id)

    ask(talk)


def test_a_city_that_refuses_to_cancel_says_why(ask, sandbox):
    sandbox.switch(cancellation="refuse")

    async def talk(client):
        note = await issued(client)
        await client.notes.cancel(note)
        return await client.notes.status(note), await client.notes.whole(note)

    status, note = ask(talk)
    assert (status.status, status.errors[0].code) == ("accepted", "E79")
    assert status.errors == status.nfse_errors == note.errors


def test_a_batch_is_cancelled_by_a_person(ask):
    async def talk(client):
        batch, notes = await staged(client, 2)
        shown = await client.batches.cancel(batch)
        with pytest.raises(Disturbed):
            await client.batches.cancel(batch)
        empty = await client.batches.create(1, "vazio")
        with pytest.raises(Disturbed):
            await client.batches.cancel(empty.id)
        return shown, await client.notes.status(notes[0].note.id), await client.batches.read(batch)

    shown, status, batch = ask(talk)
    assert (shown.status, status.status, batch.counters.cancelled) == ("scheduled", "cancelled", 2)


@pytest.mark.parametrize("token", ["masked", "real"])
def test_the_token_of_a_history_never_leaves_the_connector(ask, sandbox, token):
    """The real token was seen there: the provider's answer must contain it as a canary, and ours never."""
    sandbox.switch(history_token=token)

    async def talk(client):
        batch, notes = await staged(client)
        return await client.batches.history(batch), await client.notes.history(notes[0].note.id)

    ours = ask(talk)
    theirs = sandbox.call("GET", "/api/v1/nfse/1/history")[1]
    assert (TOKEN in str(theirs)) is (token == "real")
    assert TOKEN not in repr(ours)
    assert "token" not in {key for entries in ours for entry in entries for key in entry.body}


def test_documents_are_urls_and_the_client_follows_none(ask, sandbox):
    async def talk(client):
        _, (waiting,) = await staged(client)
        before = await client.notes.pdf(waiting.note.id)
        note = await issued(client)
        return before, [await document(note) for document in (client.notes.mirror, client.notes.xml, client.notes.pdf)]

    before, documents = ask(talk)
    assert before is None
    assert [document.rpartition(".")[2] for document in documents] == ["mirror", "xml", "pdf"]
    asked = {request["path"] for request in sandbox.record(requests=True)["requests"]}
    assert not any(path.startswith("/documents") for path in asked)


@pytest.mark.parametrize(
    "location", ["", "/documents/1.pdf", "javascript:alert(1)", "http://", "https://user:secret@127.0.0.1/1.pdf"]
)
def test_a_redirect_to_nowhere_is_no_document(location):
    async def main():
        async def behave(connection):
            while True:
                await connection.request()
                await connection.send(http(302, b"", f"Location: {location}"))

        async with serving(behave) as server, session_to(server.base_url) as session:
            with pytest.raises(Unreadable):
                await NfseClient(session).notes.pdf(1)
            return len(server.requests)

    assert asyncio.run(main()) == 1


def test_notes_are_listed_by_filter(ask):
    async def talk(client):
        await staged(client, 12)
        await issued(client)
        later = datetime(2026, 11, 21, tzinfo=UTC)
        counts = []
        for filters in (
            {},
            {"status": "created"},
            {"serie": "P", "emitter_id": 1, "number": 7},
            {"taker_cnpj": requests.CNPJ, "is_complete": True},
            {"emission_date_gte": later},
            {"emission_date_gte": EMITTED_AT, "emission_date_lte": later},
        ):
            pages = [page async for page in client.notes.all(**filters)]
            counts.append((pages[0].count, sum(len(page.items) for page in pages)))
        return counts

    assert ask(talk) == [(13, 13), (12, 12), (1, 1), (12, 12), (0, 0), (13, 13)]


def test_a_plan_that_is_used_up_refuses_to_issue(ask, sandbox):
    company = sandbox.control("seed")
    company["account"]["max_emissions"] = "2"
    sandbox.control("seed", company)
    sandbox.switch(advance="at_once")

    async def talk(client):
        await issued(client)
        batch, _ = await staged(client, 2)
        with pytest.raises(Disturbed) as sending:
            await client.batches.send(batch)
        await issued(client, requests.rio(number=8))
        with pytest.raises(Refused) as posting:
            await client.notes.create(requests.rio(number=9))
        made = (await client.notes.create(IncompleteNote(emitter_id=1))).note
        with pytest.raises(Refused):
            await client.notes.replace(made.id, requests.rio(number=9))
        return sending.value, posting.value, await client.account.read()

    sending, posting, account = ask(talk)
    assert set(sending.messages) == set(posting.messages) == {"account"}
    assert (account.emission_count, account.emissions_left) == (2, 0)


ERROR = {"code": 500, "description": "A prefeitura não respondeu.", "tip": None}


@pytest.mark.parametrize("name", ["errors", "nfse_errors"])
def test_errors_under_either_name(name):
    for model in (WholeNote, NoteStatus):
        read = model.model_validate({"id": 1, "status": "rejected", name: [ERROR]})
        assert read.errors == read.nfse_errors
        assert (read.errors[0].code, read.errors[0].tip) == ("500", None)
        assert model.model_validate({"id": 1, "status": "rejected", "errors": None}).errors == ()
        assert model.model_validate({"id": 1, "status": "rejected", name: ["Falhou"]}).errors[0].description == "Falhou"


@pytest.mark.parametrize("empty", [None, {}, [], {"number": None, "serie": None, "rps_type": None}])
def test_an_empty_replacement_is_none(empty):
    whole = {"id": 1, "status": "created", "substitute_rps": empty}
    assert (WholeNote.model_validate(whole).substitute_rps, read_note(whole).replaces) == (None, None)


def test_a_null_under_the_documented_name_hides_no_amount():
    values = {"other_retentions_amount": None, "other_retentions": "1.50"}
    read = WholeNote.model_validate({"id": 1, "status": "created", "service_values": values})
    assert read.body["service_values"]["other_retentions_amount"] == "1.50"


def test_shapes_that_differ_are_read_alike():
    """Integers or text, decimals as text or numbers, days as instants [A 1.22, 1.25, 1.26, 1.27]."""
    one: dict[str, Any] = {
        "number": 7,
        "rps_type": 1,
        "competence": "2026-11-01",
        "emission_date": "2026-11-20T12:30:00-03:00",
    }
    two: dict[str, Any] = {
        "number": "7",
        "rps_type": "1",
        "competence": "2026-11-01T00:00:00Z",
        "emission_date": "2026-11-20T15:30:00",
    }
    two["emission_date"] += "Z"
    values = ({"service_amount": "10.50", "city_code": 3304557}, {"service_amount": 10.5, "city_code": "3304557"})
    read = [
        WholeNote.model_validate({"id": 1, "status": "created", "service_values": value} | part)
        for part, value in zip((one, two), values, strict=True)
    ]
    assert [note.number for note in read] == [7, 7]
    assert read[0].model_copy(update={"service_values": None}) == read[1].model_copy(update={"service_values": None})
    amounts = [note.service_values.service_amount for note in read if note.service_values is not None]
    assert [float(amount or 0) for amount in amounts] == [10.5, 10.5]
