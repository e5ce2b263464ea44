"""Normalise header texts for comparison: exactly, or by their stem."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from domain.texts import folded

_SIGNS: Final = (
    ("%", " percentual "),
    ("R$", " reais "),
    ("r$", " reais "),
    ("US$", " dolar "),
    ("$", " cifrao "),
    ("€", " euro "),
    ("£", " libra "),
    ("°", "o"),
    ("º", "o"),
    ("ª", "a"),
)
_MAIL: Final = re.compile(r"\be mail")
_HUMPS: Final = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")
"""Word boundaries in a program's field name: `TomadorRazaoSocial`."""
_ADVICE: Final = re.compile(
    r"\((?:somente|apenas|s[oó] |sem |obrigat|ex[. :]|exemplo|digite|informe)[^()]{0,60}\)", re.IGNORECASE
)
"""Instructions for filling in a column: `CPF (somente números)`."""
_NO_LETTERS: Final = re.compile(r"[^a-z0-9]+")
_ABBREVIATIONS: Final[Mapping[str, str]] = {
    short: word
    for word, shorts in {
        "aliquota": "aliq", "cliente": "cli", "codigo": "cod cd", "complemento": "compl", "data": "dt",
        "descricao": "desc", "estadual": "est", "inscricao": "insc inscr", "iss": "issqn", "municipal": "mun municipio",
        "nota": "nf nfse nfs", "numero": "n no nr nro num", "observacao": "obs", "pagamento": "pagto pgto",
        "quantidade": "qtd qtde qte quant",
        "referencia": "ref", "servico": "serv srv", "telefone": "tel fone", "tributacao": "trib", "unitario": "unit",
        "financeiro": "financ", "responsavel": "resp", "valor": "vlr vl",
    }.items()
    for short in shorts.split()
}  # fmt: skip
_LINKS: Final = frozenset({"a", "ao", "as", "da", "das", "de", "do", "dos", "e", "em", "na", "nas", "nos", "o",
                           "para", "por", "s"})  # fmt: skip
_PARTIES: Final = frozenset({"tomador", "cliente", "sacado", "destinatario", "contratante", "pagador"})
_SHORT: Final = 4


@lru_cache(maxsize=4096)
def normalised(header: str) -> str:
    """Return a header for comparison: lower case, no accents, no punctuation, single spaces; % and R$ as words."""
    if "(" in header:
        header = _ADVICE.sub("", header)
    for sign, word in _SIGNS:
        header = header.replace(sign, word)
    if " " not in header.strip():
        header = _HUMPS.sub(" ", header)
    return _MAIL.sub("email", _NO_LETTERS.sub(" ", folded(header)).strip())


@lru_cache(maxsize=4096)
def stem(header: str) -> str:
    """Return the form of a header that all headers of nearly the same meaning share.

    Write abbreviations out, make plurals singular, sort the words; drop small words, and `do tomador` at either end.
    """
    return stem_of(normalised(header))


def stem_of(normal: str) -> str:
    """Return the stem of a normalised header."""
    words = [_ABBREVIATIONS.get(word, word) for word in normal.split()]
    words = [_singular(word) for word in words if word not in _LINKS]
    # the number of a customer is not the number of a house
    if len(words) > 1 and words[-1] in _PARTIES and words[:-1] != ["numero"]:
        words.pop()
    elif len(words) > 1 and words[0] in _PARTIES and words[1:] not in (["numero"], ["servico"]):
        del words[0]
    return " ".join(sorted(words))


def _singular(word: str) -> str:
    if word.endswith("oes"):
        return f"{word[:-3]}ao"
    return word[:-1] if len(word) > _SHORT and word.endswith("s") else word
