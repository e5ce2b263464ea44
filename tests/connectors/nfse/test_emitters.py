"""Emitters by CNPJ, and what the provider knows of a series."""

import pytest

from connectors.http.errors import Unreadable
from connectors.nfse.emitters import Emitter
from tests.connectors.nfse.samples import RIO, SAO_PAULO, staged


def test_an_emitter_is_found_by_its_cnpj_alone(ask):
    (found,) = ask(lambda client: client.emitters.find(SAO_PAULO))
    assert (found.cnpj, found.social_reason) == (SAO_PAULO, "Aurora Serviços Digitais S.A.")
    assert found.is_active
    assert found.city_code == "3550308"
    assert ask(lambda client: client.emitters.find("99000003000195")) == []


def test_a_filter_that_the_provider_ignores_changes_nothing(ask, sandbox):
    wrong = {"collection": [{"id": 1, "cnpj": RIO, "social_reason": "x"}, {"id": 2, "cnpj": "y", "social_reason": "z"}]}
    sandbox.faults({"operation": "emitters.list", "kind": "altered", "fields": {**wrong, "count": 2}})
    assert [emitter.id for emitter in ask(lambda client: client.emitters.find(RIO))] == [1]


def test_punctuation_makes_no_difference():
    emitter = Emitter.model_validate(
        {"id": 1, "cnpj": "99.abc.001/0001-57", "social_reason": "x", "city_code": 3304557}
    )
    assert emitter.cnpj == "99ABC001000157"
    assert emitter.city_code == "3304557"


def test_a_series_before_and_after_its_first_note(ask):
    async def talk(client):
        before = await client.emitters.serie(1, "F")
        _, (_, second) = await staged(client, 2)
        return before, await client.emitters.serie(1, "F"), second.note.id

    before, after, latest = ask(talk)
    assert before is None or before.latest_number in (None, 0)
    assert (after.serie, after.latest_number, after.latest_note_id) == ("F", 2, latest)


def test_a_series_name_is_quoted(ask):
    async def talk(client):
        await staged(client, serie="A?B")
        return await client.emitters.serie(1, "A?B")

    assert ask(talk).serie == "A?B"


@pytest.mark.parametrize(
    ("fields", "latest"),
    [
        ({"serie_number": {"serie": "F", "latest_number": "7"}, "latest_nfse": None}, (7, None)),
        ({"serie_number": {"serie": "F", "latest_number": None}, "latest_nfse": {"id": 3}}, (None, 3)),
    ],
)
def test_a_series_in_its_shapes(ask, sandbox, fields, latest):
    sandbox.faults({"operation": "emitters.serie", "kind": "altered", "fields": fields, "share": 1.0})

    async def talk(client):
        await staged(client)
        return await client.emitters.serie(1, "F")

    found = ask(talk)
    assert (found.latest_number, found.latest_note_id) == latest


def test_a_series_record_without_its_numbers_is_unreadable(ask, sandbox):
    sandbox.faults({"operation": "emitters.serie", "kind": "altered", "fields": {"serie_number": None}})

    async def talk(client):
        await staged(client)
        with pytest.raises(Unreadable):
            await client.emitters.serie(1, "F")

    ask(talk)
