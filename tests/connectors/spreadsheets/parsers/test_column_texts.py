"""Search the texts of a column."""

import pytest

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers.column_texts import found_in, has_any, joined_plainly


def test_every_place_of_a_found_text_is_yielded_and_each_text_is_judged_once() -> None:
    judged: list[str] = []

    def judge(text: str) -> str | None:
        judged.append(text)
        return text.upper() if text == "nao" else None

    column: list[Cell] = ["nao", 1.0, "sim", None, "nao"]
    assert list(found_in(column, ("nao",), judge)) == [(0, "NAO"), (4, "NAO")]
    assert sorted(judged) == ["nao", "sim"]


def test_no_text_is_judged_in_a_column_without_the_words() -> None:
    assert list(found_in(["sim", "talvez"], ("nao",), lambda _: "never")) == []


@pytest.mark.parametrize("text", ["Não  faturar", "NÃO\u2028FATURAR", "não\tfaturar"])
def test_accents_capitals_and_other_spaces_do_not_hide_words(text: str) -> None:
    assert has_any(("nao faturar",), joined_plainly([text]))
