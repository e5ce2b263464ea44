"""The words of the status page."""

import string

import pytest

from connectors.sandbox.status_texts import LANGUAGES, Words, preferred


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_say_the_same():
    portuguese, english = (Words(language).texts for language in LANGUAGES)
    gendered = {key for key in portuguese if key.startswith("batches_")}
    assert portuguese.keys() - gendered == english.keys()
    assert [key for key in english if fields(english[key]) != fields(portuguese[key])] == []


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "pt_BR"),
        ("en-GB,en;q=0.9", "en"),
        ("pt-PT", "pt_BR"),
        ("fr, en;q=0.4, pt-BR;q=0.8", "pt_BR"),
        ("de;q=1", "pt_BR"),
        ("en;q=..", "pt_BR"),
        ("en;q=" + "1" * 10_000, "pt_BR"),
    ],
)
def test_the_browser_chooses(accepted, language):
    assert preferred(accepted, "pt_BR") == language


def test_numbers_and_times_follow_the_language():
    portuguese, english = (Words(language) for language in LANGUAGES)
    assert (portuguese.number(1_234_567), english.number(1_234_567)) == ("1.234.567", "1,234,567")
    assert portuguese.moment(0) == "31/12/1969 21:00:00"
    assert english.moment(0) == "1969-12-31 21:00:00"
    assert [portuguese.span(seconds) for seconds in (0, 61, 93_600)] == ["0 s", "1 min 1 s", "1 d 2 h"]


def test_a_status_follows_the_gender_of_its_noun():
    portuguese = Words("pt_BR")
    assert (portuguese.status("batches", "created"), portuguese.status("notes", "created")) == ("criado", "criada")
    assert portuguese.status("notes", "a status unknown") == "a status unknown"
