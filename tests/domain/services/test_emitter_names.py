"""A row that names another emitter is found; one that names its own, or its customer, is not."""

import pytest

from domain.services.emitter_names import are_emitters, other_emitter
from tests.tasks.rows import RIO, company, line

NAME = "Rio Sistemas Ltda"
OTHERS = {RIO: NAME, company(7).number: "Paulista Treinamentos SA"}


@pytest.mark.parametrize("text", [RIO, "RIO SISTEMAS", "Rio Sistemas Ltda - ME"])
@pytest.mark.parametrize("field", ["emitter_name", "company_name"])
def test_its_own_emitter_is_no_other(field: str, text: str) -> None:
    assert other_emitter(line(1, **{field: text}), RIO, NAME, OTHERS) is None


@pytest.mark.parametrize("text", [company(7).number, "Paulista Treinamentos", company(9).number])
@pytest.mark.parametrize("field", ["emitter_name", "company_name"])
def test_another_emitter_is_found(field: str, text: str) -> None:
    assert other_emitter(line(1, **{field: text}), RIO, NAME, OTHERS) == (field, text)


def test_an_unknown_name_is_another_emitter_only_in_a_column_of_emitters() -> None:
    assert other_emitter(line(1, emitter_name="Zyx Ltda"), RIO, NAME, OTHERS) == ("emitter_name", "Zyx Ltda")
    one = line(1, company_name="Zyx Ltda")
    assert other_emitter(one, RIO, NAME, OTHERS) is None
    assert other_emitter(one, RIO, NAME, OTHERS, is_of_emitters=True) == ("company_name", "Zyx Ltda")


def test_one_emitter_among_the_companies_makes_their_column_one_of_emitters() -> None:
    assert are_emitters({"Zyx Ltda", "PAULISTA TREINAMENTOS"}, OTHERS)
    assert not are_emitters({"Zyx Ltda", "Tomador 1 Ltda"}, OTHERS)


@pytest.mark.parametrize("text", ["Tomador 1 Ltda", company(1).number])
def test_the_customers_company_is_no_emitter(text: str) -> None:
    every = OTHERS | {company(1).number: "Tomador 1 Ltda"}
    assert other_emitter(line(1, company_name=text), RIO, NAME, every) is None
