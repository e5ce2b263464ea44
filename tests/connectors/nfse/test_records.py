"""Common behaviour of all master data: a write is sent once, and each outcome has its class."""

import pytest

from connectors.http.errors import Doubtful, NotFound, Refused
from connectors.nfse.takers import TakerChanges
from domain.documents import Document
from tests.connectors.nfse import requests

CHANGES = TakerChanges(fancy_name="Cais")


def changed(client, taker):
    return client.takers.update(taker.id, CHANGES)


def replaced(client, taker):
    return client.takers.replace(taker.id, requests.taker(fancy_name="Cais"))


def removed(client, taker):
    return client.takers.delete(taker.id)


WRITES = {"update": changed, "replace": replaced, "delete": removed}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("kind", ["lose_answer", "status_500", "truncated"])
def test_a_write_without_an_answer_is_in_doubt_not_repeated(ask, sandbox, name, kind):
    """Only a read shows whether the write was done."""
    if (name, kind) == ("delete", "truncated"):
        kind = "truncated_head"

    async def talk(client):
        taker = await client.takers.create(requests.taker())
        sandbox.faults({"operation": f"takers.{name}", "kind": kind, "when": "after"})
        with pytest.raises(Doubtful):
            await WRITES[name](client, taker)
        if name == "delete":
            with pytest.raises(NotFound):
                await client.takers.read(taker.id)
        else:
            assert (await client.takers.read(taker.id)).fancy_name == "Cais"

    ask(talk)
    assert sandbox.record()["requests_by_operation"][f"takers.{name}"] == 1


@pytest.mark.parametrize("name", WRITES)
def test_an_absence_is_an_answer(ask, name):
    async def talk(client):
        taker = await client.takers.create(requests.taker())
        await client.takers.delete(taker.id)
        with pytest.raises(NotFound):
            await WRITES[name](client, taker)

    ask(talk)


def test_a_creation_that_was_refused_is_looked_up(ask):
    async def talk(client):
        made = await client.takers.create(requests.taker())
        with pytest.raises(Refused):
            await client.takers.create(requests.taker())
        (found,) = await client.takers.find(Document("cnpj", requests.CNPJ))
        return made, found

    made, found = ask(talk)
    assert made == found


def test_a_write_that_was_turned_away_is_sent_again(ask, sandbox):
    sandbox.faults({"operation": "takers.create", "kind": "status_429", "seconds": 0})
    assert ask(lambda client: client.takers.create(requests.taker())).cnpj == requests.CNPJ
    assert sandbox.record()["requests_by_operation"]["takers.create"] == 2
