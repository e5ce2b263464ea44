"""CPF and CNPJ checks as the provider does them; since July 2026 a CNPJ may have letters."""

import re
from typing import Final

_CPF: Final = re.compile(r"\d{11}")
_CNPJ: Final = re.compile(r"[0-9A-Z]{12}\d{2}")
_PUNCTUATION: Final = str.maketrans("", "", "./- ")
_CNPJ_WEIGHTS: Final = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def bare(text: str) -> str:
    """Return a document without punctuation, in capital letters."""
    return text.translate(_PUNCTUATION).upper()


def is_cpf(text: str) -> bool:
    if not _CPF.fullmatch(text) or len(set(text)) == 1:
        return False
    return all(int(text[n]) == _digit([int(c) for c in text[:n]], range(n + 1, 1, -1)) for n in (9, 10))


def is_cnpj(text: str) -> bool:
    if not _CNPJ.fullmatch(text) or set(text) == {"0"}:
        return False
    values = [ord(character) - 48 for character in text]
    return all(values[n] == _digit(values[:n], _CNPJ_WEIGHTS[13 - n :]) for n in (12, 13))


def _digit(values: list[int], weights: "range | tuple[int, ...]") -> int:
    rest = sum(value * weight for value, weight in zip(values, weights, strict=True)) % 11
    return 0 if rest < 2 else 11 - rest
