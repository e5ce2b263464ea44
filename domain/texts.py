"""Texts that people typed: when two are the same, and whether one fits a field of a tax document."""

import unicodedata

from domain.problems import Problem


def folded(text: str) -> str:
    """A text for comparing: letter case, accents and runs of spaces do not make two texts differ."""
    decomposed = unicodedata.normalize("NFKD", text)
    return " ".join("".join(c for c in decomposed if not unicodedata.combining(c)).casefold().split())


def text_problem(field: str, text: str, limit: int) -> Problem | None:
    """`text.too_long` or `text.characters`: invisible control characters break the city's XML and its signature."""
    if len(text) > limit:
        return Problem("text.too_long", field, params={"length": len(text), "limit": limit})
    if any(unicodedata.category(c) in {"Cc", "Cs", "Co", "Cn"} and c not in "\n\r\t" for c in text):
        return Problem("text.characters", field)
    return None
