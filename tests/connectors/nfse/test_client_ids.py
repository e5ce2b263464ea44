"""The client never accepts an answer about another resource than the one asked for."""

import asyncio

import pytest

from connectors.http.errors import Doubtful, Unreadable
from connectors.nfse.client import NfseClient
from connectors.nfse.notes import read_note
from connectors.nfse.webhooks import WebhookDraft
from tests.connectors.http.sockets import Connection, serving, session_to
from tests.connectors.nfse import requests
from tests.connectors.nfse.receivers import receiving
from tests.connectors.nfse.samples import staged

OTHER = {"id": 987654}

READS = {
    "emitters.read": lambda client, _: client.emitters.read(1),
    "takers.read": lambda client, _: client.takers.read(1),
    "service_values.read": lambda client, _: client.service_values.read(1),
    "batches.read": lambda client, known: client.batches.read(known[0]),
    "notes.read": lambda client, known: client.notes.read(known[1]),
    "notes.status": lambda client, known: client.notes.status(known[1]),
}
TAKER = {"cnpj": "99.777.001/0001-04", "social_reason": "Ateliê"}
OTHER_CNPJ = {"cnpj": "99000001000101"}
TEMPLATE = {"emitter_id": 1, "name": "Aulas à tarde"}
CREATIONS = [
    ("takers.create", OTHER_CNPJ, lambda client, _: client.takers.create(TAKER)),
    ("service_values.create", {"name": "x"}, lambda client, _: client.service_values.create(TEMPLATE)),
    ("service_values.create", {"emitter_id": 2}, lambda client, _: client.service_values.create(TEMPLATE)),
    ("emitters.create", OTHER_CNPJ, lambda client, _: client.emitters.create(requests.emitter())),
]
WRITES = {
    "takers.update": lambda client, _: client.takers.update(1, {"fancy_name": "x"}),
    "batches.send": lambda client, known: client.batches.send(known[0]),
    "batches.cancel": lambda client, known: client.batches.cancel(known[0]),
}


def answered_otherwise(ask, sandbox, operation, call, kind, fields=None):
    async def talk(client):
        batch, (note, *_) = await staged(client, 1)
        known = (batch, note.note.id)
        sandbox.faults({"operation": operation, "kind": "altered", "fields": fields or OTHER, "count": 9})
        with pytest.raises(kind) as caught:
            await call(client, known)
        return caught.value

    return ask(talk)


@pytest.mark.parametrize("operation", READS)
def test_a_read_of_another_resource_is_unreadable(ask, sandbox, operation):
    error = answered_otherwise(ask, sandbox, operation, READS[operation], Unreadable)
    assert error.detail == "answer not understood: the answer has another id"


def test_a_whole_note_is_the_one_that_was_asked_for(ask, sandbox):
    answered_otherwise(ask, sandbox, "notes.read", lambda client, known: client.notes.whole(known[1]), Unreadable)


def test_a_serie_record_is_the_one_that_was_asked_for(ask, sandbox):
    named = {"serie_number": {"serie": "Z"}}
    answered_otherwise(
        ask, sandbox, "emitters.serie", lambda client, _: client.emitters.serie(1, "F"), Unreadable, named
    )


@pytest.mark.parametrize("operation", WRITES)
def test_a_write_that_answers_another_resource_is_a_doubt(ask, sandbox, operation):
    answered_otherwise(ask, sandbox, operation, WRITES[operation], Doubtful)


@pytest.mark.parametrize(("operation", "fields", "call"), CREATIONS)
def test_a_creation_that_made_another_resource_is_a_doubt(ask, sandbox, operation, fields, call):
    answered_otherwise(ask, sandbox, operation, call, Doubtful, fields)


def test_a_webhook_to_another_address_is_a_doubt(ask, sandbox):
    sandbox.faults({"operation": "webhooks.create", "kind": "altered", "fields": {"url": "http://127.0.0.1/"}})
    with receiving() as receiver, pytest.raises(Doubtful):
        ask(lambda client: client.webhooks.create(WebhookDraft(name="n", url=receiver.url)))


def test_a_created_resource_may_come_in_another_punctuation(ask):
    made = ask(lambda client: client.takers.create(TAKER))
    assert made.cnpj == "99777001000104"


def document_at(location):
    """Return the result of `pdf` for a redirect to this location."""

    async def main():
        async def behave(connection: Connection) -> None:
            await connection.request()
            await connection.answer(302, b"", f"Location: {location}")

        async with serving(behave) as server, session_to(server.base_url) as session:
            return await NfseClient(session).notes.pdf(7)

    return asyncio.run(main())


def test_a_redirect_to_the_same_path_is_no_document():
    """A gateway redirects to https, or to a login page that redirects back here."""
    for gateway in ("https://api.example/api/v1/nfse/7/pdf", "https://api.example/login?next=/api/v1/nfse/7/pdf"):
        with pytest.raises(Unreadable):
            document_at(gateway)
        with pytest.raises(Unreadable):
            document_at(gateway.replace("=/api/v1/nfse/7", "=%2Fapi%2Fv1%2Fnfse%2F7"))
    assert document_at("https://files.example/notes/7.pdf") == "https://files.example/notes/7.pdf"


def test_a_city_may_come_as_an_object(ask, sandbox):
    city = {"name": "Rio de Janeiro", "state": "RJ", "city_code": 3304557}
    sandbox.faults(
        {"operation": "emitters.read", "kind": "altered", "fields": {"city": city}},
        {"operation": "takers.read", "kind": "altered", "fields": {"address": {"city": city}}},
    )

    async def talk(client):
        return await client.emitters.read(1), await client.takers.read(1)

    emitter, taker = ask(talk)
    assert emitter.city == taker.address.city == "Rio de Janeiro"
    assert read_note({"id": 1, "status": "created", "taker": {"address": {"city": city}}}).id == 1
