"""Columns with an amount in words."""

import pytest

from connectors.spreadsheets.holds.worded_amounts import contradictions, unread, worded_amounts


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Valor por extenso", ((3, 1),)), ("Por extenso", ((3, 1),)), ("Total da nota por extenso", ((3, 1),)),
        ("Amount in words", ((3, 1),)), ("Valor líquido por extenso", ((3, 2),)), ("Nome por extenso", ((3, 0),)),
        ("Data por extenso", ()), ("Valor do desconto por extenso", ()), ("Extensão", ()), ("Curso de extensão", ()),
    ],
)  # fmt: skip
def test_the_words_belong_to_the_amount_or_to_the_named_column(header: str, expected: tuple[tuple[int, int], ...]):
    texts = {0: "Nome", 1: "Honorários", 2: "Valor Líquido", 3: header}
    assert worded_amounts({3: header}, texts, 1) == expected


def test_without_a_column_of_amounts_nothing_is_compared():
    assert worded_amounts({0: "Valor por extenso"}, {0: "Valor por extenso"}, None) == ()


def test_only_other_figures_contradict_the_words():
    words = ("mil reais", "mil reais", "mil reais", "mil reais", "a combinar", None, 1000.0, "mil reais")
    figures = (1000.0, "R$ 1.000,00", 1000.01, "1.000", 5.0, 5.0, 5.0, None)
    assert list(contradictions(words, figures)) == [(2, "mil reais", "1000.01")]
    assert list(unread(words, figures)) == [(4, "a combinar")]
    assert list(unread(("-", " ", "Ana"), (1.0, 1.0, "Ana"))) == []
