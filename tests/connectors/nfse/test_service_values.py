"""Templates by name, and the provider's own calculation."""

import pytest

from connectors.http.errors import NotFound


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


def test_an_unknown_template(ask):
    async def talk(client):
        with pytest.raises(NotFound):
            await client.service_values.calculate(9_999, 100)

    ask(talk)


def test_a_calculation_is_asked_again_when_the_provider_stumbles(ask, sandbox):
    """It changes nothing there, although it is a POST."""
    sandbox.faults({"operation": "service_values.calculate", "kind": "status_500", "count": 2})
    assert ask(lambda client: client.service_values.calculate(2, 100_000)) > 0
