"""Texts that people typed: the same one or not, fitting or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.problems import Problem
from domain.texts import folded, text_problem


def code(problem: Problem | None) -> str | None:
    return problem.code if problem else None


@pytest.mark.parametrize("text", ["São  João", "SAO JOAO", " são\njoão ", "Sa\u0303o Joa\u0303o"])
def test_case_accents_and_spaces_do_not_make_texts_differ(text):
    assert folded(text) == "sao joao"


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize("text", ["ação nº 1 – “ok” €", "linha 1\nlinha 2\r\n\tfim", "x" * 10, ""])
def test_what_people_write_fits(text):
    assert text_problem("description", text, 40) is None


@pytest.mark.parametrize("text", ["a\u0000b", "a\u0007", "\u0085", "\ue000"])
def test_invisible_characters_do_not_fit(text):
    assert code(text_problem("description", text, 40)) == "text.characters"


def test_a_text_may_be_as_long_as_the_field_and_no_longer():
    assert text_problem("description", "x" * 40, 40) is None
    assert code(text_problem("description", "x" * 41, 40)) == "text.too_long"
