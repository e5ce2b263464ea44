"""The two cities and their differences; codes and situations as people type them."""

import pytest

from domain.cities import CITY_RULES, RIO_DE_JANEIRO, SAO_PAULO, city_of
from domain.problems import Problem

RIO, SAO = CITY_RULES[RIO_DE_JANEIRO], CITY_RULES[SAO_PAULO]


def test_the_provider_issues_in_two_cities_and_no_other():
    assert city_of("3304557") is RIO
    assert city_of("3550308") is SAO
    assert city_of("3106200") is None


def test_defaults_are_the_citys_own_and_only_what_it_uses():
    assert (RIO.rps_type, RIO.rps_situation, RIO.operation_nature, RIO.special_regime) == (1, 1, 1, None)
    assert (SAO.rps_type, SAO.rps_situation, SAO.operation_nature, SAO.special_regime) == ("RPS", "T", None, None)
    assert RIO.required_taker_fields == ()
    assert set(SAO.required_taker_fields) == {"state", "city"}


@pytest.mark.parametrize("text", ["0105", "1.05", "01.05", "105", " 0105 "])
def test_an_item_code_of_rio_is_read_however_it_is_written(text):
    assert RIO.item_code_of(text) == "0105"


@pytest.mark.parametrize(("text", "code"), [("010501", "010501"), ("01.05.01", "010501"), ("10501", "010501")])
def test_a_tax_code_of_rio_is_read_however_it_is_written(text, code):
    assert RIO.tax_code_of(text) == code


@pytest.mark.parametrize("text", ["1.1", "5", "01055", "0105x", "1.05.01", "-105", "01,05"])
def test_an_item_code_that_may_be_another_is_refused(text):
    problem = RIO.item_code_of(text)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.field, problem.params["digits"]) == ("city.code", "service_item_code", 4)


@pytest.mark.parametrize("text", ["01050", "0105", "1.05.1"])
def test_a_tax_code_that_may_be_another_is_refused(text):
    assert isinstance(RIO.tax_code_of(text), Problem)


@pytest.mark.parametrize("text", ["1105", "0105", "11.05", "2800"])
def test_a_national_item_never_becomes_a_code_of_sao_paulo(text):
    assert isinstance(SAO.item_code_of(text), Problem)
    assert SAO.item_code_of("02800") == "02800"


def test_sao_paulo_asks_for_no_tax_code_and_takes_what_is_given():
    assert SAO.tax_code_of(" 12-34 ") == "12-34"


@pytest.mark.parametrize(("text", "value"), [("t", "T"), (" F ", "F"), ("C", "C")])
def test_situations_of_sao_paulo_are_letters(text, value):
    assert SAO.situation_of(text) == value


def test_situations_of_rio_are_numbers():
    assert RIO.situation_of("2") == 2
    assert RIO.situation_of("T") == Problem(
        "city.situation", "rps_situation", params={"city": "Rio de Janeiro", "allowed": "1, 2"}
    )


def test_only_rio_uses_an_operation_nature():
    assert RIO.nature_of("6") == 6
    assert isinstance(nature := RIO.nature_of("7"), Problem)
    assert nature.code == "city.operation_nature"
    assert isinstance(unused := SAO.nature_of("1"), Problem)
    assert unused.code == "city.no_operation_nature"
