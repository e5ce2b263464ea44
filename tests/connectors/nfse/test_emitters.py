"""Emitters by CNPJ, and the provider's record of a series."""

import pytest

from connectors.http.errors import NotFound, Refused, Unreadable
from connectors.nfse.emitters import Emitter, EmitterChanges
from tests.connectors.nfse import requests
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


def test_a_serie_has_a_latest_number_after_its_first_note(ask):
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
def test_a_serie_is_read_in_each_shape(ask, sandbox, fields, latest):
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


def test_an_emitter_is_registered_read_changed_and_removed(ask):
    async def talk(client):
        made = await client.emitters.create(requests.emitter())
        read = await client.emitters.read(made.id)
        changed = await client.emitters.update(made.id, EmitterChanges(fancy_name="Oficina"))
        whole = await client.emitters.replace(made.id, requests.emitter(email="outra@cais.example"))
        back = await client.emitters.replace(made.id, whole.body)
        await client.emitters.delete(made.id)
        with pytest.raises(NotFound):
            await client.emitters.read(made.id)
        return made, read, changed, whole, back

    made, read, changed, whole, back = ask(talk)
    assert made == read
    assert (made.cnpj, made.city_code, made.ddd, made.is_active) == (requests.CNPJ, "3304557", 21, True)
    assert set(made.links) == {"self", "update", "partial_update", "destroy", "series"}
    assert (changed.fancy_name, changed.email) == ("Oficina", "fiscal@cais.example")
    assert (whole.fancy_name, whole.email) == ("Cais", "outra@cais.example")
    assert back == whole


def test_cnpj_and_name_are_unique_and_the_words_are_of_fields(ask):
    async def talk(client):
        await client.emitters.create(requests.emitter())
        with pytest.raises(Refused) as caught:
            await client.emitters.create(requests.emitter())
        return caught.value

    assert set(ask(talk).messages) == {"cnpj", "social_reason"}


def test_a_wrong_house_number_is_a_refusal_and_no_alarm(ask):
    """In a note, `number` means the RPS; here it means a house."""

    async def talk(client):
        with pytest.raises(Refused) as caught:
            await client.emitters.update(1, {"number": "x" * 11})
        return caught.value

    assert set(ask(talk).messages) == {"number"}


def test_cnpj_and_latest_rps_stay_as_they_are(ask):
    async def talk(client):
        made = await client.emitters.create(requests.emitter(latest_serie="A", latest_number=41))
        changes = {"cnpj": requests.OTHER_CNPJ, "latest_number": 1, "latest_serie": "B"}
        return made, await client.emitters.update(made.id, changes), await client.emitters.series(made.id)

    made, changed, series = ask(talk)
    assert changed == made
    assert [(record.serie, record.latest_number) for record in series] == [("A", 41)]


@pytest.mark.parametrize(
    ("production", "place"), [("no", ("Rio de Janeiro", "sandbox")), ("yes", ("São Paulo", "production"))]
)
def test_city_and_environment_change_in_production_only(ask, sandbox, production, place):
    sandbox.switch(production=production)

    async def talk(client):
        made = await client.emitters.create(requests.emitter())
        return await client.emitters.update(made.id, EmitterChanges(city="São Paulo", environment="production"))

    changed = ask(talk)
    assert (changed.city, changed.environment) == place
    assert changed.city_code == {"yes": "3550308", "no": "3304557"}[production]


def test_an_emitter_with_notes_cannot_be_removed(ask):
    async def talk(client):
        await staged(client)
        with pytest.raises(Refused) as caught:
            await client.emitters.delete(1)
        return caught.value

    assert set(ask(talk).messages) == {"emitter"}


def test_series_are_read_of_all_emitters_or_of_one(ask):
    async def talk(client):
        await staged(client, 2)
        return await client.emitters.all_series(), await client.emitters.series(1), await client.emitters.series(2)

    everybodys, rios, paulistas = ask(talk)
    assert [(record.emitter_id, record.serie, record.latest_number) for record in everybodys] == [(1, "F", 2)]
    assert [(record.emitter_id, record.serie) for record in rios] == [(None, "F")]
    assert paulistas == []


def test_a_certificate_shows_nowhere(ask, sandbox):
    draft = requests.emitter(certificate="Y2FuYXJpbw==", password="canario-9")
    assert "canario-9" not in repr(draft)
    assert "Y2FuYXJpbw==" not in repr(draft)
    leak = {"certificate": "Y2FuYXJpbw==", "password": "canario-9"}
    sandbox.faults({"operation": "emitters.create", "kind": "altered", "fields": leak})
    made = ask(lambda client: client.emitters.create(draft))
    assert "canario-9" not in repr(made)
    assert not {"certificate", "password"} & set(made.body)


def test_a_wrong_certificate_is_not_quoted():
    with pytest.raises(ValueError, match="base64") as caught:
        requests.emitter(certificate="canário!")
    assert "canário" not in str(caught.value)


def test_constants_by_name(ask):
    found = ask(lambda client: client.emitters.constants("code_tax_regime"))
    assert list(found) == ["code_tax_regime"]
    assert set(found["code_tax_regime"]) == {"1", "2", "3"}
    assert set(ask(lambda client: client.emitters.constants())) == {"code_tax_regime", "emission_kind"}
