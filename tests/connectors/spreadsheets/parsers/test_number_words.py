"""Amounts in Portuguese words."""

import pytest

from connectors.spreadsheets.parsers.number_words import spelled_cents

_UNITS = (
    "", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze", "treze",
    "quatorze", "quinze", "dezesseis", "dezessete", "dezoito", "dezenove",
)  # fmt: skip
_TENS = ("vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa")
_HUNDREDS = (
    "cento", "duzentos", "trezentos", "quatrocentos", "quinhentos", "seiscentos", "setecentos", "oitocentos",
    "novecentos",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("mil e duzentos reais", 120_000), ("Hum mil, duzentos e trinta reais e cinqüenta centavos", 123_050),
        ("dezesseis mil", 1_600_000), ("cento e vinte e três reais e um centavo", 12_301), ("cem reais", 10_000),
        ("dois milhões, trezentos e um mil e quatro reais", 230_100_400), ("um milhão de reais", 100_000_000),
        ("cinquenta centavos", 50), ("um real", 100), ("zero reais", 0), ("vinte-e-dois reais", 2_200),
        ("R$ 3.500,00 (três mil e quinhentos reais)", 350_000), ("*** duzentos reais ***", 20_000),
        ("a importância de duzentos reais apenas", 20_000), ("MIL REAIS", 100_000), ("catorze reais", 1_400),
        ("novecentos e noventa e nove mil novecentos e noventa e nove reais e noventa e nove centavos", 99_999_999),
    ],
)  # fmt: skip
def test_an_amount_in_words_is_read(text: str, cents: int):
    assert spelled_cents(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        "", "e", "reais", "a combinar", "1200", "dois mil e 500 reais", "dois duzentos", "mil mil", "mil milhões",
        "milhão de reais", "cinquenta e doze", "vinte e zero", "trinta de novembro", "dois milhões e meio",
        "mil dólares", "cento e vinte centavos", "mil e duzentos e cinquenta centavos", "dez reais e vinte",
        "zero mil reais", "cem " * 100,
    ],
)  # fmt: skip
def test_other_words_are_no_amount(text: str):
    assert spelled_cents(text) is None


def test_each_number_up_to_a_thousand_is_read():
    small = [*_UNITS, *(_joined(ten, unit) for ten in _TENS for unit in _UNITS[:10])]
    texts = [_joined(hundred, rest) for hundred in ("", *_HUNDREDS) for rest in small]
    assert [spelled_cents(f"{text} reais") for text in texts[1:]] == [number * 100 for number in range(1, 1_000)]


def _joined(*words: str) -> str:
    return " e ".join(filter(None, words))
