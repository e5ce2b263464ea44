"""Accents are removed, letters stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.products.texts import transliterate


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Pão de açúcar – 1º lote", "Pao de acucar - 1o lote"),
        ("  Óptica\n“Três Irmãos” ", 'Optica "Tres Irmaos"'),
        ("½ dúzia", "1/2 duzia"),
        ("32 °C × 2…", "32 oC x 2..."),
        ("Ana d’Ávila", "Ana d'Avila"),
        ("plain", "plain"),
    ],
)
def test_a_text_loses_its_accents(text, plain):
    assert transliterate(text) == plain


def test_a_letter_without_a_plain_form_stays():
    assert not transliterate("茶").isascii()


@given(st.text("abcçãéíõúüÁÊÖ ñ-.", max_size=40))
def test_portuguese_becomes_plain_and_stays_so(text):
    plain = transliterate(text)
    assert plain.isascii()
    assert transliterate(plain) == plain
