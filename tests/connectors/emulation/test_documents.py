"""CPF and CNPJ compared with an independent implementation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.br import cnpj, cpf

from connectors.emulation.documents import bare, is_cnpj, is_cpf


@pytest.mark.parametrize("text", ["12ABC34501DE35", "A87HBZHB000161", "99ABC001000157", "1234567E000184"])
def test_a_cnpj_with_letters_is_valid(text):
    assert is_cnpj(text)


@pytest.mark.parametrize("text", ["LBNXQOB5000163", "99ABC001000158", "00000000000000", "123", "12ABC34501DE3A"])
def test_an_invalid_cnpj_is_recognised(text):
    assert not is_cnpj(text)


@given(st.text("0123456789", min_size=9, max_size=9))
def test_cpf_as_the_reference_says(stem):
    valid = [text for text in (f"{stem}{end:02d}" for end in range(100)) if cpf.is_valid(text)]
    assert [text for text in (f"{stem}{end:02d}" for end in range(100)) if is_cpf(text)] == [
        text for text in valid if len(set(text)) > 1
    ]


@given(st.text("0123456789ABCXYZ", min_size=12, max_size=12))
def test_cnpj_as_the_reference_says(text):
    assert is_cnpj(text + cnpj.calc_check_digits(text)) == (set(text) != {"0"})


def test_punctuation_is_nothing():
    assert bare("12.abc.345/01de-35") == "12ABC34501DE35"
