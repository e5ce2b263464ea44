"""Service codes in every spelling, and never a guess between two of them."""

import pytest

from domain.problems import Problem
from domain.services.codes import read_item, spelled_code

KNOWN = {"01.05", "01.01", "10.01", "10.10", "17.19"}.__contains__


@pytest.mark.parametrize(
    "text",
    ["1.05", "01.05", "1,05", " 01.05 ", "Item 1.05", "item: 01.05", "Subitem 1.05", "LC 116 - 1.05", "Cód. 1.05",
     "01.05 - Licenciamento de programas", "1.05 Licenciamento", "1.05: Licenciamento 2.0"],
)  # fmt: skip
def test_an_item_is_read_in_every_spelling(text: str) -> None:
    assert read_item(text, KNOWN) == "01.05"


@pytest.mark.parametrize(
    ("text", "code"),
    [("105", "105"), ("0105", "0105"), ("02800", "02800"), ("010501 - Licenciamento", "010501"),
     ("01.05.01", "01.05.01"), ("2800 Licenciamento", "2800"), ("consultoria", "consultoria"), ("12-3", "12-3")],
)  # fmt: skip
def test_other_codes_are_left_to_the_city(text: str, code: str) -> None:
    assert read_item(text, KNOWN) == code
    assert spelled_code(text) == code


def test_a_lost_zero_is_put_back_where_only_one_item_exists() -> None:
    assert read_item("1.1", KNOWN) == "01.01"
    both = read_item("10.1", KNOWN)
    assert isinstance(both, Problem)
    assert (both.code, both.params["readings"]) == ("service.item_ambiguous", "10.01, 10.10")


def test_an_item_that_does_not_exist_is_refused() -> None:
    for text in ("1.99", "41.01", "3.9"):
        found = read_item(text, KNOWN)
        assert isinstance(found, Problem)
        assert found.code == "service.item_unknown"
