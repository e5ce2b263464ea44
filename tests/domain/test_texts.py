"""Comparison and length limits of texts that people typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import texts
from domain.problems import Problem
from domain.texts import HIDDEN, count_and_first, escape_formulas, folded, is_damaged, repeatable, text_problem


def code(problem: Problem | None) -> str | None:
    return problem.code if problem else None


@pytest.mark.parametrize("text", ["São  João", "SAO JOAO", " são\njoão ", "Sa\u0303o Joa\u0303o"])
def test_case_accents_and_spaces_do_not_make_texts_differ(text):
    assert folded(text) == "sao joao"


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize("text", ["ação nº 1 – “ok” €", "linha 1\nlinha 2\r\n\tfim", "x" * 10, ""])
def test_ordinary_texts_fit(text):
    assert text_problem("description", text, 40) is None


@pytest.mark.parametrize("text", ["a\u0000b", "a\u0007", "\u0085", "\ue000"])
def test_invisible_characters_do_not_fit(text):
    assert code(text_problem("description", text, 40)) == "text.characters"


def test_a_text_may_be_as_long_as_the_field_and_no_longer():
    assert text_problem("description", "x" * 40, 40) is None
    assert code(text_problem("description", "x" * 41, 40)) == "text.too_long"


@pytest.mark.parametrize(
    "text",
    [
        "eyJhbGciOiJIUzI1NiIs",
        "MIIKcQIBAzCCCjcGCSqGSIb3DQEHAaCCCigEggok",
        "5f0c7a52-99a1-4b0e-8c3e-000000000001",
        "9f86d081884c7d659a2f",
        "Bearer abc",
        "Basic dXNlcjpwYXNz",
        "senha: marilia",
        "api_key=abc",
        "-----BEGIN CERTIFICATE",
        "Marilia#2026",
    ],
)
def test_a_text_like_a_secret_is_not_repeated(text):
    assert repeatable(text) == HIDDEN
    assert repeatable(f"ver {text}") == HIDDEN


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.234,56",
        "R$ 12,5a",
        "próximo mês",
        "12ABC34501DE35",
        "99.TPV.051/0001-09",
        "Mensalidade-Sistema-2026-11",
        "CAN-01/PRA-07-X9-B12",
        "m***@mares.example",
        "São Paulo - SP",
        "Consutoria",
        "34191790010104351004791020150008291070026000",
    ],
)
def test_ordinary_texts_are_repeated(text):
    assert repeatable(text) == text


@pytest.mark.parametrize(
    "name", ["AÃ§aÃ­ Ltda", "A??cares Ltda", "S?o Jos?a", "Ana &amp; Bia", "Caf\ufffd", "Manuten‡Æo", "irmÆo", "Caf‚s"]
)
def test_a_name_with_lost_letters_is_damaged(name: str):
    assert is_damaged(name)


@given(st.text(st.sampled_from("aÃÂâ€™‡„ƒÆé¡ \u0080\u00bf\u2122"), max_size=6))
def test_the_quick_look_for_lost_letters_misses_none(name: str):
    assert texts._ODD.search(name) or not (texts._TWICE.search(name) or texts._OTHER_PAGE.search(name))


@pytest.mark.parametrize("name", ["Açaí & Cia", "Quem? Eu Ltda", "ANA & BIA; LTDA", "São João Ângelo", "Château Âmbar"])
def test_a_whole_name_is_not_damaged(name: str):
    assert not is_damaged(name)


def runs(cell: str) -> bool:
    """Return whether a spreadsheet runs a cell as a formula."""
    return cell.lstrip(' \xa0"').startswith(tuple("=+-@＝＋－＠"))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1", "'=1"),
        ("\t=1", "'\t'=1"),
        (" +1", " '+1"),
        ('"-1', "\"'-1"),
        ("＝1", "'＝1"),
        ("a,=1;@x|-2\n+3", "a,'=1;'@x|'-2\n'+3"),
        ("2026-11 a+b=c, d-e", "2026-11 a+b=c, d-e"),
    ],
)
def test_a_formula_gets_an_apostrophe(text: str, written: str):
    assert escape_formulas(text) == written


@given(st.text(alphabet="=+-@＝＋－＠ \xa0\"',;|\t\r\nab", max_size=12))
def test_nothing_tamed_runs_whatever_separates_cells(text: str):
    escaped = escape_formulas(text)
    assert not runs(escaped)
    assert not escaped.startswith(("\t", "\r", "\n"))
    for separator in ",;|\t\n":
        assert not any(runs(cell) for cell in escaped.split(separator)[1:])
    assert escaped.replace("'", "") == text.replace("'", "")


def test_a_sentence_names_the_first_things_and_counts_all():
    assert count_and_first(["a", "b"]) == {"count": 2, "first": "a, b"}
    assert count_and_first(range(1, 8)) == {"count": 7, "first": "1, 2, 3, 4, 5 …"}
