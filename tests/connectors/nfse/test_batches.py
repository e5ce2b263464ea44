"""Batches from opening to the end, and the ways in which an answer differs from the request."""

import asyncio

import pytest

from connectors.http.errors import Disturbed, Doubtful, NotFound, Unreadable
from connectors.nfse.client import NfseClient
from tests.connectors.http.sockets import Connection, serving, session_to
from tests.connectors.nfse.samples import body, staged


def test_a_batch_is_opened_found_and_read(ask):
    async def talk(client):
        made = await client.batches.create(1, "2026-11 ab12 1.1")
        return made, await client.batches.find("2026-11 ab12 1.1", 1), await client.batches.read(made.id)

    made, found, read = ask(talk)
    assert found == [made] == [read]
    assert (made.status, made.emitter_id, made.name) == ("created", 1, "2026-11 ab12 1.1")
    assert (made.counters.created, made.counters.total) == (0, 0)


def test_another_emitters_batch_of_that_name_is_not_found(ask):
    async def talk(client):
        await client.batches.create(2, "lote")
        return await client.batches.find("lote", 1)

    assert ask(talk) == []


def test_filters_that_the_provider_ignores_change_nothing(ask, sandbox):
    async def talk(client):
        made = [await client.batches.create(emitter, name) for emitter, name in ((1, "lote"), (2, "lote"), (1, "Lote"))]
        everything = {"count": 3, "collection": [batch.body for batch in made]}
        sandbox.faults({"operation": "batches.list", "kind": "altered", "fields": everything})
        return made[0], await client.batches.find("lote", 1)

    made, found = ask(talk)
    assert found == [made]


def test_a_lost_creation_is_found_by_its_name(ask, sandbox):
    sandbox.faults({"operation": "batches.create", "kind": "lose_answer"})

    async def talk(client):
        with pytest.raises(Doubtful):
            await client.batches.create(1, "lote")
        return await client.batches.find("lote", 1)

    assert len(ask(talk)) == 1


def test_all_notes_are_read_page_by_page(ask):
    async def talk(client):
        batch, notes = await staged(client, 23)
        pages = [page async for page in client.batches.notes(batch)]
        return [note.note.id for note in notes], pages

    ids, pages = ask(talk)
    assert [len(page.items) for page in pages] == [10, 10, 3]
    assert {page.count for page in pages} == {23}
    assert sorted(note.id for page in pages for note in page.items) == ids
    assert {note.number for page in pages for note in page.items} == set(range(1, 24))


def test_notes_are_filtered_by_status(ask):
    async def talk(client):
        batch, _ = await staged(client, 2)
        return [
            len(page.items) for status in ("created", "rejected") async for page in client.batches.notes(batch, status)
        ]

    assert ask(talk) == [2, 0]


def test_send_counts_and_ends(ask, sandbox):
    sandbox.switch(advance="looks", advance_looks=1)

    async def talk(client):
        batch, _ = await staged(client, 3)
        sent = last = await client.batches.send(batch)
        for _ in range(20):
            last = await client.batches.read(batch)
            if last.status == "processed":
                break
        return sent, last

    sent, last = ask(talk)
    assert sent.status in {"scheduled", "processing"}
    assert sent.counters.total == 3
    assert (last.status, last.counters.accepted) == ("processed", 3)


def test_nothing_about_a_send_is_a_rows_trouble(ask):
    async def talk(client):
        empty = await client.batches.create(1, "lote")
        with pytest.raises(Disturbed) as caught:
            await client.batches.send(empty.id)
        with pytest.raises(Disturbed) as unknown:
            await client.batches.send(9_999)
        return caught.value, unknown.value

    error, unknown = ask(talk)
    assert (error.status, error.keys) == (422, ("batch",))
    assert unknown.status == 404


def test_not_even_a_refusal_of_send_in_other_words():
    async def main():
        async def refuse(connection: Connection) -> None:
            await connection.request()
            await connection.answer(422, b'{"description":["too long"]}')

        async with serving(refuse) as server, session_to(server.base_url) as session:
            await NfseClient(session).batches.send(1)

    with pytest.raises(Disturbed):
        asyncio.run(main())


def test_a_lost_answer_to_send_is_never_repeated(ask, sandbox):
    sandbox.faults({"operation": "batches.send", "kind": "lose_answer"})

    async def talk(client):
        batch, _ = await staged(client)
        with pytest.raises(Doubtful):
            await client.batches.send(batch)
        return await client.batches.read(batch)

    assert ask(talk).status != "created"
    assert sandbox.record()["requests_by_operation"]["batches.send"] == 1


def test_a_note_into_a_batch_that_is_gone_disturbs(ask):
    async def talk(client):
        with pytest.raises(Disturbed) as caught:
            await client.notes.create(body(client, 9_999, 1))
        return caught.value.keys

    assert "batch_id" in ask(talk)


def test_history_keeps_who_did_what_and_no_token(ask):
    async def talk(client):
        batch, _ = await staged(client)
        await client.batches.send(batch)
        return await client.batches.history(batch)

    history = ask(talk)
    assert (history[0].from_status, history[0].to_status) == (None, "created")
    assert "scheduled" in {entry.to_status for entry in history}
    assert all("token" not in entry.body for entry in history)
    assert all("emitter" in entry.body for entry in history)


def test_a_batch_without_counters_is_unreadable(ask, sandbox):
    sandbox.faults({"operation": "batches.read", "kind": "altered", "fields": {"properties": {"created": "3"}}})

    async def talk(client):
        batch, _ = await staged(client)
        with pytest.raises(Unreadable):
            await client.batches.read(batch)

    ask(talk)


def test_an_unknown_batch_is_not_found(ask):
    async def talk(client):
        with pytest.raises(NotFound):
            await client.batches.read(9_999)

    ask(talk)


def test_an_answer_about_another_batch_is_no_creation(ask, sandbox):
    """It is somebody else's empty batch: they could send what we post into it."""
    sandbox.faults({"operation": "batches.create", "kind": "altered", "fields": {"id": 77, "name": "deles"}})

    async def talk(client):
        with pytest.raises(Doubtful):
            await client.batches.create(1, "lote")
        return await client.batches.find("lote", 1)

    (found,) = ask(talk)
    assert found.id != 77


def test_one_page_is_read_by_its_number(ask):
    async def talk(client):
        batch, _ = await staged(client, 12)
        return [await client.batches.page(batch, number) for number in (1, 2, 3)]

    first, second, third = ask(talk)
    assert (first.count, len(first.items), len(second.items), third) == (12, 10, 2, None)
