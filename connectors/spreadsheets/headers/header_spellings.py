"""Find the field of a header with extra words: `Taxa hora (R$)`, `Deal - Value`, `Qual o CNPJ da sua empresa?`."""

import re
from collections.abc import Mapping
from typing import Final

from connectors.spreadsheets.formats.header_texts import stem

_UNIT: Final = " reais"
_OBJECTS: Final = frozenset({"deal", "negocio", "organization", "organizacao"})
"""Words that sales programs write before each header."""
_ASKS: Final = re.compile(
    r"^(?:qual|quais|informe|digite|escreva|descreva|preencha|indique)(?: (?:e|sao|seria))?"
    r"(?: (?:[oa]s?|seus?|suas?))? |"
    r" (?:d[aeo]s? )?(?:seus?|suas?)(?: (?:empresa|cliente|negocio|instituicao|escola|clinica))?$"
)
"""The words of a form's question around the name of a field."""


def known_as(header: str, aliases: Mapping[str, str], weaker: Mapping[str, str]) -> str | None:
    """Return the field of a normalised header, with or without its extra words, or None.

    Only amounts and prices have a unit: `Contrato (R$)` is no contract's number.
    """

    def look(text: str) -> str | None:
        return aliases.get(text) or weaker.get(text) or weaker.get(stem(text))

    found = look(header)
    if found is not None:
        return found
    if header.endswith(_UNIT):
        found = look(header.removesuffix(_UNIT))
        return found if found is not None and (found.endswith("_cents") or found == "unit_price") else None
    first, _, rest = header.partition(" ")
    if rest and first in _OBJECTS:
        return look(rest)
    bare = _ASKS.sub("", header) if rest else header
    return look(bare) if bare != header else None
