"""Takers: found by document, created once."""

import pytest

from connectors.http.errors import Doubtful, Refused
from connectors.nfse.takers import Taker
from domain.documents import Document

CNPJ = Document("cnpj", "99000010000194")
CPF = Document("cpf", "99000000130")
FIELDS = {
    "cnpj": CNPJ.number,
    "social_reason": "Padaria do Cais Ltda",
    "address": {
        "street": "Rua do Cais",
        "number": "S/N",
        "city": "Rio de Janeiro",
        "state": "RJ",
        "zip_code": 20010000,
    },
    "contact": {"email": "contas@cais.example"},
}


def test_nobody_then_somebody(ask):
    async def talk(client):
        before = await client.takers.find(CNPJ)
        made = await client.takers.create(FIELDS)
        return before, made, await client.takers.find(CNPJ)

    before, made, after = ask(talk)
    assert before == []
    assert [taker.id for taker in after] == [made.id]
    assert after[0].document_number == CNPJ.number
    assert after[0].address.street == "Rua do Cais"
    assert after[0].address.zip_code == "20010000"
    assert after[0].contact.email == "contas@cais.example"
    assert after[0].is_complete


def test_a_second_one_is_refused_in_words(ask):
    async def talk(client):
        await client.takers.create(FIELDS)
        with pytest.raises(Refused) as caught:
            await client.takers.create(FIELDS)
        return caught.value

    error = ask(talk)
    assert type(error) is Refused
    assert error.status == 422
    assert "cnpj" in error.messages


def test_a_lost_answer_is_a_doubt_that_looking_settles(ask, sandbox):
    sandbox.faults({"operation": "takers.create", "kind": "lose_answer"})

    async def talk(client):
        with pytest.raises(Doubtful):
            await client.takers.create(FIELDS)
        return await client.takers.find(CNPJ)

    assert len(ask(talk)) == 1


def test_who_answers_another_document_is_not_taken_for_the_one_asked(ask, sandbox):
    sandbox.faults(
        {"operation": "takers.list", "kind": "altered", "fields": {"count": 1, "collection": [{"id": 1, **FIELDS}]}}
    )
    assert ask(lambda client: client.takers.find(CPF)) == []


def test_shapes_that_are_read_alike():
    taker = Taker.model_validate({"id": 1, "cpf": "990.000.001-30", "cnpj": "", "address": None, "contact": None})
    assert (taker.cpf, taker.cnpj, taker.document_number) == (CPF.number, None, CPF.number)
