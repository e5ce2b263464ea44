"""Cities that issue notes."""

from connectors.nfse.cities import City


def test_cities_are_filtered_by_state_and_name(ask):
    async def talk(client):
        return await client.cities.all(), await client.cities.all(state="SP"), await client.cities.all(name="Manaus")

    everywhere, paulista, nowhere = ask(talk)
    assert {city.city_code for city in everywhere if city.status == "ok"} == {"3304557", "3550308"}
    assert [city.name for city in paulista] == ["São Paulo"]
    assert nowhere == []


def test_a_status_that_we_do_not_know_is_kept():
    city = City.model_validate({"name": "Manaus", "state": "AM", "city_code": 1302603, "status": "planned", "new": 1})
    assert (city.status, city.model_extra) == ("planned", {"new": 1})
