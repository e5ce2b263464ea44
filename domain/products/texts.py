"""Texts of product invoices: without accents, as the tax authority's schema wants them."""

import unicodedata
from typing import Final

_OTHERWISE: Final = str.maketrans(
    {
        "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "´": "'",
        "°": "o", "×": "x", "•": "-", "€": "EUR", "⁄": "/", "Ø": "O", "ø": "o", "ß": "ss", "Æ": "AE", "æ": "ae",
    }
)  # fmt: skip


def transliterated(text: str) -> str:
    """`text` on one line, without accents. Letters that have no plain counterpart stay: the caller refuses them."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_OTHERWISE)).translate(_OTHERWISE)
    return " ".join("".join(sign for sign in decomposed if not unicodedata.combining(sign)).split())
