"""Compare what an issuer shows of an invoice, besides numbers, customer and amounts, with the canonical invoice."""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

_CODES: Final = frozenset({"service_item_code", "city_tax_code", "cnae_code"})
_TEXTS: Final = frozenset({"description", "observations"})
_NEVER_FILLED_IN: Final = frozenset({"observations"})
"""No issuer fills these in by itself: a value that we did not send comes from a person."""
SET_BY_ISSUE: Final = frozenset({"rps_situation"})
"""These may change when the city issues or cancels the invoice."""


def differing_value(content: Mapping[str, Any], shown: Mapping[str, Any]) -> str | None:
    """Return the first field that the issuer shows with another value than the canonical invoice has, or None.

    A field that one of them lacks is not compared: answers need not repeat every field, and the issuer fills in its
    defaults. Spaces, a code's punctuation and its leading zeros do not matter, and a number may be text.
    """
    rates: Mapping[str, int] = content.get("rates", {})
    for name, theirs in shown.items():
        ours = rates[name] if name in rates else content.get(name)
        if ours is None and name in _NEVER_FILLED_IN:
            ours = ""
        if ours is not None and theirs != ours and _comparable(name, theirs) != _comparable(name, ours):
            return name
    return None


def _comparable(name: str, value: Any) -> object:
    if name in _TEXTS:
        return " ".join(unicodedata.normalize("NFC", str(value)).split())
    if name in _CODES:
        return "".join(filter(str.isalnum, str(value))).lstrip("0").upper()
    if isinstance(value, list | tuple):
        return frozenset(value)
    return str(value)
