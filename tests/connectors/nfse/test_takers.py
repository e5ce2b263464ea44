"""Takers: found by document, created once."""

import pytest

from connectors.http.errors import Doubtful, NotFound, Refused
from connectors.nfse.takers import AddressDraft, Taker, TakerChanges, TakerDraft
from domain.documents import Document
from tests.connectors.nfse import requests

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


def test_a_taker_is_found_after_its_creation(ask):
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


def test_an_answer_with_another_document_is_not_accepted(ask, sandbox):
    sandbox.faults(
        {"operation": "takers.list", "kind": "altered", "fields": {"count": 1, "collection": [{"id": 1, **FIELDS}]}}
    )
    assert ask(lambda client: client.takers.find(CPF)) == []


def test_shapes_that_are_read_alike():
    taker = Taker.model_validate({"id": 1, "cpf": "990.000.001-30", "cnpj": "", "address": None, "contact": None})
    assert (taker.cpf, taker.cnpj, taker.document_number) == (CPF.number, None, CPF.number)


def test_a_taker_is_changed_and_removed(ask):
    async def talk(client):
        made = await client.takers.create(requests.taker())
        address = AddressDraft(complement="Loja 2")
        changed = await client.takers.update(made.id, TakerChanges(fancy_name="Cais", address=address))
        back = await client.takers.replace(made.id, changed.body)
        whole = await client.takers.replace(made.id, requests.taker())
        await client.takers.delete(made.id)
        with pytest.raises(NotFound):
            await client.takers.read(made.id)
        return made, changed, back, whole

    made, changed, back, whole = ask(talk)
    assert (made.address.zip_code, made.address.country, made.contact.email) == (
        "01010000",
        "Brasil",
        "contas@cais.example",
    )
    assert (changed.fancy_name, changed.address.complement, changed.address.street) == (
        "Cais",
        "Loja 2",
        "Rua do Cais",
    )
    assert back == changed
    assert (whole.fancy_name, whole.address.complement) == (None, None)


def test_a_customer_abroad_needs_no_document(ask):
    abroad = AddressDraft(city="Lisboa", country="Portugal", country_code="06076", country_abbreviation="PT")
    made = ask(lambda client: client.takers.create(TakerDraft(social_reason="Mar", foreign_taker=True, address=abroad)))
    assert (made.foreign_taker, made.is_complete, made.document_number) == (True, True, None)
    assert (made.address.country, made.address.country_code) == ("Portugal", "06076")


def test_an_incomplete_taker_is_of_no_use_until_it_is_completed(ask):
    async def talk(client):
        made = await client.takers.create(TakerDraft(social_reason="Só o nome", allow_incomplete=True))
        named = await client.takers.update(made.id, TakerChanges(fancy_name="Ainda"))
        with pytest.raises(Refused) as caught:
            await client.notes.create(requests.rio(taker_id=made.id))
        done = await client.takers.update(made.id, TakerChanges(cpf="990.000.001-30"))
        return made, named, caught.value, done, await client.notes.create(requests.rio(taker_id=made.id))

    made, named, error, done, posted = ask(talk)
    assert (made.is_complete, named.is_complete, done.is_complete) == (False, False, True)
    assert set(error.messages) == {"taker"}
    assert posted.note.taker_document == requests.CPF


@pytest.mark.parametrize(
    "wrong",
    [{"cpf": requests.CPF}, {"cnpj": None}, {"cnpj": "99000010000195"}, {"social_reason": ""}, {"surprise": 1}],
)
def test_a_certain_refusal_is_not_sent(wrong):
    with pytest.raises(ValueError, match="TakerDraft") as caught:
        requests.taker(**wrong)
    assert "990000" not in str(caught.value)
