"""The texts of product invoices: their sizes, and the removal of their accents."""

from collections.abc import Mapping
from typing import Final

from domain.texts import without_accents

LIMITS: Final[Mapping[str, int]] = {
    "name": 60,
    "street": 60,
    "number": 60,
    "complement": 60,
    "neighborhood": 60,
    "city": 60,
    "phone": 14,
    "emails": 60,
    "operation": 60,
    "order_key": 60,
    "observations": 5_000,
    "code": 60,
    "description": 120,
    "unit": 6,
}
"""The most characters of each field, from the tax authority's schema, which every provider must respect."""

_OTHERWISE: Final = str.maketrans(
    {
        "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "´": "'",
        "°": "o", "×": "x", "•": "-", "€": "EUR", "⁄": "/", "Ø": "O", "ø": "o", "ß": "ss", "Æ": "AE", "æ": "ae",
    }
)  # fmt: skip


def transliterate(text: str) -> str:
    """Return `text` on one line and without accents. A letter without a plain form stays; the caller refuses it.

    This rule is not in a connector because the approver, the digest and the tax document must have one text.
    """
    return " ".join(without_accents(text.translate(_OTHERWISE)).translate(_OTHERWISE).split())
