"""The municipalities: the table is complete, and finds them as people write them."""

import csv

import pytest

from configs.reference.build_cities import STATES
from configs.reference.cities import CITIES, City, CityTable, load_cities
from domain.cities import CITY_RULES

CAPITALS = {
    "1100205": "Porto Velho", "1302603": "Manaus", "2304400": "Fortaleza", "2927408": "Salvador",
    "3106200": "Belo Horizonte", "4106902": "Curitiba", "4314902": "Porto Alegre", "5300108": "Brasília",
    "3205309": "Vitória", "1721000": "Palmas",
}  # fmt: skip


def test_there_are_as_many_municipalities_as_brazil_has():
    assert len(load_cities()) == 5_571
    with CITIES.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["code", "name", "uf"]
    assert lines[1:] == sorted(lines[1:])
    assert {(code[:2], uf) for code, _, uf in lines[1:]} == set(STATES.items())


@pytest.mark.parametrize(("code", "name"), CAPITALS.items())
def test_capitals_stand_where_they_are_known_to(code, name):
    city = load_cities().by_code(code)
    assert city is not None
    assert city.name == name
    assert city in load_cities().by_name(name, STATES[code[:2]])


def test_the_cities_with_rules_of_their_own_are_in_the_table():
    for code, rules in CITY_RULES.items():
        assert load_cities().by_code(code) == City(code, rules.name, rules.state)


@pytest.mark.parametrize("name", ["São Paulo", "SAO PAULO", " são  paulo ", "Sao-Paulo"])
def test_a_city_is_found_however_its_name_is_typed(name):
    assert load_cities().by_name(name) == (City("3550308", "São Paulo", "SP"),)


def test_a_shared_name_without_a_state_gives_every_city():
    assert len(load_cities().by_name("Bom Jesus")) == 5
    assert load_cities().by_name("bom jesus", " pi ") == (City("2201903", "Bom Jesus", "PI"),)
    assert load_cities().by_name("Bom Jesus", "SP") == ()


def test_an_unknown_city_is_not_guessed():
    assert load_cities().by_name("San Paolo") == ()
    assert load_cities().by_name("") == ()
    assert load_cities().by_code("9999999") is None
    assert len(CityTable([])) == 0


def digit_of(code: str) -> int:
    """Return the check digit that IBGE's rule gives for the first six digits."""
    products = (int(digit) * (1 + place % 2) for place, digit in enumerate(code[:6]))
    return -sum(product // 10 + product % 10 for product in products) % 10


def test_the_number_of_odd_names_and_codes_is_known() -> None:
    with CITIES.open(encoding="utf-8", newline="") as file:
        cities = [City(code, name, uf) for code, name, uf in csv.reader(file) if code != "code"]
    states: dict[str, set[str]] = {}
    for city in cities:
        states.setdefault(city.name, set()).add(city.uf)
    assert len([name for name, found in states.items() if len(found) > 1]) == 232
    # This is why codes are looked up and never computed.
    assert sorted(city.code for city in cities if digit_of(city.code) != int(city.code[6])) == [
        "2201919", "2201988", "2202251", "2611533", "3117836", "3152131", "4305871", "5203939", "5203962",
    ]  # fmt: skip
