"""Templates by name, and the provider's own calculation."""

from decimal import Decimal

import pytest

from connectors.http.errors import NotFound, Refused
from connectors.nfse.service_values import Template, TemplateChanges
from tests.connectors.nfse import requests


def test_a_template_is_found_by_its_exact_name(ask):
    (found,) = ask(lambda client: client.service_values.find(1, "Consultoria"))
    assert (found.emitter_id, found.name) == (1, "Consultoria")
    assert found.body["iss_percentage"] == "5.00"
    assert found.body["ir_limit"] == "666.67"
    assert ask(lambda client: client.service_values.find(1, "consultoria")) == []


def test_filters_that_the_provider_ignores_change_nothing(ask, sandbox):
    others = [
        {"id": 1, "emitter_id": 1, "name": "Consultoria"},
        {"id": 2, "emitter_id": 2, "name": "Consultoria"},
        {"id": 3, "emitter_id": 1, "name": "consultoria"},
    ]
    everything = {"count": 3, "collection": others, "next": None}
    sandbox.faults({"operation": "service_values.list", "kind": "altered", "fields": everything})
    assert [template.id for template in ask(lambda client: client.service_values.find(1, "Consultoria"))] == [1]


def test_every_emitter_has_its_own(ask):
    async def talk(client):
        return await client.service_values.find(1, "Consultoria"), await client.service_values.find(2, "Consultoria")

    (rio,), (sao_paulo,) = ask(talk)
    assert rio.id != sao_paulo.id


@pytest.mark.parametrize(("service", "liquid"), [(100_000, 93_850), (10_000, 10_000)])
def test_the_provider_computes_with_its_limits(ask, service, liquid):
    async def talk(client):
        (template,) = await client.service_values.find(1, "Consultoria")
        return await client.service_values.calculate(template.id, service)

    assert ask(talk) == liquid


def test_an_unknown_template_is_not_found(ask):
    async def talk(client):
        with pytest.raises(NotFound):
            await client.service_values.calculate(9_999, 100)

    ask(talk)


def test_a_calculation_is_repeated_when_the_provider_fails(ask, sandbox):
    """It changes nothing there, although it is a POST."""
    sandbox.faults({"operation": "service_values.calculate", "kind": "status_500", "count": 2})
    assert ask(lambda client: client.service_values.calculate(2, 100_000)) > 0


def test_a_template_is_made_changed_and_removed(ask):
    async def talk(client):
        made = await client.service_values.create(requests.template(service_amount=Decimal(1000)))
        changed = await client.service_values.update(made.id, TemplateChanges(pcc_limit="215.05", retained_iss=True))
        back = await client.service_values.replace(made.id, changed.body)
        whole = await client.service_values.replace(made.id, requests.template())
        await client.service_values.delete(made.id)
        with pytest.raises(NotFound):
            await client.service_values.delete(made.id)
        return made, changed, back, whole

    made, changed, back, whole = ask(talk)
    assert (made.service_amount, made.calculation_base, made.nfse_liquid_amount) == ("1000.00", "1000.00", "1000.00")
    assert (changed.pcc_limit, changed.retained_iss, changed.iss_percentage) == ("215.05", True, "5.00")
    assert back == changed
    assert (whole.pcc_limit, whole.retained_iss, whole.service_amount) == (None, False, None)


def test_a_template_of_nobody_is_refused(ask):
    async def talk(client):
        with pytest.raises(Refused) as caught:
            await client.service_values.create(requests.template(emitter_id=99))
        return caught.value

    assert set(ask(talk).messages) == {"emitter_id"}


def test_supplied_base_and_liquid_amount_are_kept(ask):
    draft = requests.template(service_amount="100.00", calculation_base="90.00", nfse_liquid_amount="80.00")
    made = ask(lambda client: client.service_values.create(draft))
    assert (made.calculation_base, made.nfse_liquid_amount) == ("90.00", "80.00")


def test_numbers_read_like_texts():
    found = Template.model_validate(
        {"id": 1, "emitter_id": 1, "name": "n", "iss_percentage": 2.5, "city_code": 3304557, "cnae_code": "6201-5/00"}
    )
    assert (found.iss_percentage, found.city_code, found.cnae_code) == ("2.5", "3304557", "6201-5/00")
