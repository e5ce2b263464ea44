"""Read an amount in Portuguese words: `mil e duzentos reais e trinta centavos`."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from connectors.spreadsheets.parsers.cells import plain

_LONGEST: Final = 300
_UNITS: Final = (
    ("um", "uma", "hum"), ("dois", "duas"), ("tres",), ("quatro",), ("cinco",), ("seis",), ("sete",), ("oito",),
    ("nove",), ("dez",), ("onze",), ("doze",), ("treze",), ("quatorze", "catorze"), ("quinze",),
    ("dezesseis", "dezasseis"), ("dezessete", "dezassete"), ("dezoito",), ("dezenove", "dezanove"),
)  # fmt: skip
_TENS: Final = (
    ("vinte",), ("trinta",), ("quarenta",), ("cinquenta", "cincoenta"), ("sessenta",), ("setenta",), ("oitenta",),
    ("noventa",),
)  # fmt: skip
_HUNDREDS: Final = (
    ("cento", "cem"), ("duzentos", "duzentas"), ("trezentos", "trezentas"), ("quatrocentos", "quatrocentas"),
    ("quinhentos", "quinhentas"), ("seiscentos", "seiscentas"), ("setecentos", "setecentas"),
    ("oitocentos", "oitocentas"), ("novecentos", "novecentas"),
)  # fmt: skip
_NUMBERS: Final = {
    word: number
    for first, step, forms in ((1, 1, _UNITS), (20, 10, _TENS), (100, 100, _HUNDREDS))
    for place, words in enumerate(forms)
    for word in words
    for number in (first + place * step,)
} | {"zero": 0}
_SCALES: Final = {"mil": 1_000, "milhao": 1_000_000, "milhoes": 1_000_000}
_REAIS: Final = frozenset({"real", "reais"})
_CENTAVOS: Final = frozenset({"centavo", "centavos"})
_WITHOUT_MEANING: Final = frozenset({"apenas", "somente", "exatos", "exato"})
_BEFORE: Final = re.compile(r"^[^a-z]*(?:(?:no|na|o|a)? ?(?:importancia|quantia|valor|total) (?:total )?de )?(?:so )?")
"""The words before an amount: `a quantia de duzentos reais`."""
_FIGURES: Final = re.compile(r"r\$ ?[\d.,]*\d|(?<![\w.,])\d{1,3}(?:\.\d{3})*,\d{2}(?![\w.,])")
"""The amount in figures before its words: `R$ 1.200,00 (mil e duzentos reais)`."""
_WORD: Final = re.compile(r"[a-z]+|\d")
_AND: Final = "e"
_OF: Final = "de"
_MOST_CENTAVOS: Final = 99
_TEN: Final = 10
_TWENTY: Final = 20
_HUNDRED: Final = 100


@lru_cache(maxsize=4096)
def spelled_cents(text: str) -> int | None:
    """Return the amount that a text states in words, in cents; None for words that are no amount up to millions."""
    if len(text) > _LONGEST:
        return None
    bare = _BEFORE.sub("", _FIGURES.sub(" ", plain(text)))
    words = [word for word in _WORD.findall(bare) if word not in _WITHOUT_MEANING]
    place = next((index for index, word in enumerate(words) if word in _REAIS), None)
    if place is None:
        return _cents_alone(words)
    reais, rest = _number(_before_unit(words[:place])), words[place + 1 :]
    centavos = _centavos(rest) if rest else 0
    return None if reais is None or centavos is None else reais * 100 + centavos


def _cents_alone(words: list[str]) -> int | None:
    """Return the cents of an amount without the word for reais: all of it are centavos, or no word names the unit."""
    if words and words[-1] in _CENTAVOS:
        return _centavos(words)
    reais = _number(words)
    return None if reais is None else reais * 100


def _centavos(words: list[str]) -> int | None:
    """Return the centavos of the words after the reais: `e trinta centavos`."""
    if words[-1] not in _CENTAVOS:
        return None
    found = _number(words[1:-1] if words[0] == _AND else words[:-1])
    return found if found is not None and found <= _MOST_CENTAVOS else None


def _before_unit(words: list[str]) -> list[str]:
    """Return the words without the last one of `dois milhões de reais`."""
    return words[:-1] if words[-1:] == [_OF] else words


def _number(words: Sequence[str]) -> int | None:
    """Return the number of these words: groups up to 999, each but the last one with a smaller scale."""
    total, scale, group = 0, 0, list[int]()
    for word in words:
        if word in _SCALES:
            factor = _group(group) if group else 1 if word == "mil" else None
            if factor is None or not factor or (scale and _SCALES[word] >= scale):
                return None
            scale, group = _SCALES[word], []
            total += factor * scale
        elif word in _NUMBERS:
            group.append(_NUMBERS[word])
        elif word != _AND:
            return None
    if not group:
        return total if scale else None
    rest = _group(group)
    return None if rest is None else total + rest


def _group(numbers: Sequence[int]) -> int | None:
    """Return the sum of hundreds, tens and units in this order; None for numbers that do not follow each other."""
    below = 1_000
    for number in numbers:
        if number >= below or (number == 0 and len(numbers) > 1):
            return None
        # after a hundred comes less than a hundred, after a ten from twenty on a unit, after anything else nothing
        below = _HUNDRED if number >= _HUNDRED else _TEN if number >= _TWENTY else 0
    return sum(numbers)
