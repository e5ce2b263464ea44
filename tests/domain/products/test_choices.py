"""The words that people write for the everyday cases, and the refusal of all others."""

import pytest

from domain.problems import Problem
from domain.products.choices import SHOWN, read_choice
from tests.house.pumping import Attack, growth


@pytest.mark.parametrize(
    ("field", "text", "choice"),
    [
        ("kind", "NF-e", "nfe"),
        ("kind", " nfc-E ", "nfce"),
        ("kind", "65", "nfce"),
        ("payment", "Dinheiro", "cash"),
        ("payment", "01 - Dinheiro", "cash"),
        ("payment", "3-Crédito", "credit_card"),
        ("payment", "CARTÃO DE CRÉDITO", "credit_card"),
        ("payment", "Credit card", "credit_card"),
        ("payment", "Cartão Débito", "debit_card"),
        ("payment", "boleto bancário", "bank_slip"),
        ("payment", "PIX", "pix"),
        ("payment", "Pix (QR Code)", "pix"),
        ("payment", "17", "pix"),
        ("payment", "17 - Pagamento Instantâneo (PIX) - Dinâmico", "pix"),
        ("payment", "20 - Pagamento Instantâneo (PIX) - Estático", "static_pix"),
        ("payment", "Chave Pix", "static_pix"),
        ("payment", "20 - PIX", "static_pix"),
        ("payment", "Pix Automático", "automatic_pix"),
        ("payment", "Depósito Bancário", "deposit"),
        ("payment", "TED", "transfer"),
        ("freight", "Sem frete", "none"),
        ("freight", "CIF", "sender"),
        ("icms", "0102", "102"),
        ("icms", "500", "500"),
        ("pis", "1", "01"),
        ("cofins", "07", "07"),
        ("ipi", "53", "53"),
    ],
)
def test_a_word_names_its_choice(field, text, choice):
    assert read_choice(field, text) == choice


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("kind", "NFS-e"),
        ("payment", "Cartão"),
        ("payment", "Pix e dinheiro"),
        ("payment", "Fiado"),
        ("payment", "19"),
        ("freight", "FOB"),
        ("icms", "101"),
        ("icms", "1102"),
        ("icms", "00"),
        ("pis", "04"),
        ("pis", "101"),
        ("cofins", "06"),
        ("ipi", "50"),
        ("ipi", ""),
    ],
)
def test_everything_else_is_not_supported_yet(field, text):
    found = read_choice(field, text)
    assert isinstance(found, Problem)
    assert (found.code, found.field, found.params["supported"]) == ("product.unsupported", field, SHOWN[field])


def test_values_listed_as_supported_are_supported():
    for field, shown in SHOWN.items():
        assert not [text for text in shown.split(", ") if isinstance(read_choice(field, text), Problem)]


@pytest.mark.parametrize("text", ["03 - Dinheiro", "77 - Dinheiro", "01 - Pix", "16 - Pix", "Dinheiro 01"])
def test_a_code_beside_another_name_is_no_choice(text: str):
    assert isinstance(read_choice("payment", text), Problem)


@pytest.mark.parametrize("pump", ["0", "1 ", " ", "a", "- "])
def test_a_choice_is_read_in_linear_time(pump: str):
    assert not growth(lambda text: read_choice("payment", text), Attack("01 - ", pump, "\n"), is_bytes=False)
