"""Recognise known headers with a unit or an object beside them: `Taxa hora (R$)`, `Deal - Value`."""

from collections.abc import Mapping
from typing import Final

from connectors.spreadsheets.formats.header_texts import stem

_UNIT: Final = " reais"
_OBJECTS: Final = frozenset({"deal", "negocio", "organization", "organizacao"})
"""Words that programs of sales teams write before each header."""


def known_as(header: str, aliases: Mapping[str, str], weaker: Mapping[str, str]) -> str | None:
    """Return the field of a normalised header: of the header itself, else without its unit, else without its object.

    Only amounts have a unit: `Contrato (R$)` is no contract's number.
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
    return look(rest) if rest and first in _OBJECTS else None
