"""Texts for people: whole sentences in their language, even if a parameter is missing."""

import dataclasses
import functools
import operator
import re
import tomllib

import pytest

from configs.catalogue import LANGUAGES, MESSAGES, Catalogue, word_by_language
from configs.sections import missing_setting
from domain.problems import Problem, SettingsError, Where
from domain.states import BatchState, InvoiceState, RowState

PORTUGUESE = Catalogue.load("pt_BR")
ENGLISH = Catalogue.load("en")


def test_a_problem_has_its_place_and_its_correction():
    problem = Problem("text.too_long", "name", Where(sheet="Nov", row=12, column="C"), {"length": 130, "limit": 120})
    assert PORTUGUESE.say(problem) == (
        "aba Nov, linha 12, coluna C: O texto de nome ou razão social tem 130 caracteres; cabem 120. Encurte o texto."
    )
    assert ENGLISH.say(problem) == (
        "sheet Nov, row 12, column C: The text of name has 130 characters; there is room for 120. Shorten the text."
    )


def test_a_place_says_only_what_is_known():
    assert PORTUGUESE.place(Where(row=3)) == "linha 3"
    assert PORTUGUESE.place(Where()) == ""
    assert PORTUGUESE.say(Problem("file.empty")).startswith("O arquivo está vazio.")


def test_fields_are_named_as_people_name_them():
    assert PORTUGUESE.field("city_tax_code") == "código de tributação municipal"
    assert PORTUGUESE.field("something_new") == "something_new"
    assert dataclasses.replace(PORTUGUESE, entries={}).field("service_cents") == "Valor"
    conflict = Problem("taker.conflict", "name", params={"fields": "city, street"})
    assert "cidade, logradouro" in PORTUGUESE.what(conflict)
    refused = Problem("provider.refused_field", "taker", params={"field": "city_tax_code", "message": "inválido"})
    assert PORTUGUESE.what(refused) == "O emissor de notas recusou código de tributação municipal: inválido"


@pytest.mark.parametrize(("words", "asks"), [(PORTUGUESE, r"\bdecid(ir|a)\b"), (ENGLISH, r"\bdecide\b")])
def test_whoever_has_to_decide_reads_the_command(words: Catalogue, asks: str):
    asking = {code: each.mend for code, each in words.entries.items() if re.search(asks, each.mend, re.IGNORECASE)}
    assert len(asking) > 10
    assert [code for code, mend in asking.items() if "faturista " not in mend] == []


@pytest.mark.parametrize(("count", "words"), [(1, "Corrija-a na planilha"), (2, "Corrija-as na planilha")])
def test_rows_that_wait_are_one_or_several(count: int, words: str):
    params: dict[str, str | int] = {
        "count": count,
        "file": "z.csv",
        "since": "27/11/2026 17:30",
        "workbook": "z-corrigir.xlsx",
    }
    sentence = PORTUGUESE.say(Problem("waiting.rows_returned", params=params))
    assert words in sentence
    assert ("Nas que não se faturam" in sentence) == (count > 1)


def test_an_unknown_code_or_parameter_hides_nothing():
    assert PORTUGUESE.say(Problem("nobody.wrote_this")) == "[nobody.wrote_this]"
    assert "{length}" in PORTUGUESE.what(Problem("text.too_long", "name", params={"limit": 5}))


def test_a_parameter_may_have_any_name():
    problem = Problem("service.item_unknown", "service_item_code", params={"code": "1.99", "self": "x", "params": "y"})
    assert "1.99" in PORTUGUESE.say(problem)


@pytest.mark.parametrize("text", ["{0}", "{field}", "}{", "%s", "{text!r}"])
def test_typed_text_is_shown_and_never_interpreted(text):
    assert text in PORTUGUESE.what(Problem("template.unknown", "template", params={"template": text}))


def test_an_error_is_explained_with_all_its_details():
    error = SettingsError(Problem("settings.invalid", params={"profile": "x"}), missing_setting("nfse.base_url"))
    first, second = PORTUGUESE.explain(error)
    assert "nada foi feito" in first
    assert second == ("Falta nfse.base_url. Preencha-a no perfil, ou na variável de ambiente FATURISTA_NFSE__BASE_URL.")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("family", "states"), [("row", RowState), ("batch", BatchState), ("invoice", InvoiceState)])
def test_every_state_has_its_word(language, family, states):
    assert Catalogue.load(language).words(f"state.{family}").keys() == {state.value for state in states}


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_plain_sentences(language):
    problems = {code: entry for code, entry in Catalogue.load(language).entries.items() if entry.mend}
    assert len(problems) > 100
    for code, entry in problems.items():
        assert entry.what[-1] in ".)}", code
        assert entry.mend[-1] == ".", code
        for jargon in ("JSON", "HTTP ", "payload", "null", "exception", "timeout ", "NoneType"):
            assert jargon not in entry.what + entry.mend, (code, jargon)


def test_a_secret_in_a_cell_is_hidden_and_a_path_is_not():
    secret = "eyJhbGciOiJIUzI1NiIs"
    for language in LANGUAGES:
        words = Catalogue.load(language)
        text = words.say(Problem("amount.unreadable", "service_cents", params={"text": secret}))
        assert secret not in text
        assert "***" in text
        path = "folder/a1B2c3D4e5F6g7H8/x.xlsx"
        assert path in words.say(Problem("blank.exists", params={"path": path}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_entry_alone_is_what_the_whole_file_says(language):
    whole = tomllib.loads((MESSAGES / f"{language}.toml").read_text(encoding="utf-8"))
    found = Catalogue.load(language).entries
    for code, entry in found.items():
        table = functools.reduce(operator.getitem, code.split("."), whole)
        assert (entry.what, entry.mend) == (table["what"], table.get("mend", "")), code
    assert len(found) == str(whole).count("{'what': ")


@pytest.mark.parametrize("code", ["outcome.remote_id", "outcome.suffix", "corrections.suffix"])
def test_an_entry_is_read_alone_in_every_language(code):
    assert word_by_language(code) == {language: Catalogue.load(language).text(code) for language in LANGUAGES}
    assert "[" not in "".join(word_by_language(code).values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_without_parameters_has_no_doubled_brace(language: str) -> None:
    words = Catalogue.load(language)
    # A text with parameters is filled by its reader, which resolves the braces too.
    fixed = [code for code, entry in words.entries.items() if not entry.params]
    assert len(fixed) > 1_000
    assert [code for code in fixed if words.entries[code].word != words.text(code)] == []
    assert "{mês/ano}" in words.words("blank_hint")["contracts_description"]


def test_a_count_of_one_has_the_singular() -> None:
    words = Catalogue.load()
    counts = {"held": 0, "refused": 2, "skipped": 1}
    assert words.text("cli.rows", total=1, taken=1, **counts) == (
        "1 linha no arquivo: 1 aproveitada, 0 retidas, 2 recusadas, 1 já tinha nota."
    )
    one, more = (words.text("sheet.titles", rows=rows, texts="x") for rows in ("18", "18, 20"))
    assert "(linha 18)" in one
    assert "(linhas 18, 20)" in more
