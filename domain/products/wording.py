"""Collect the texts of one invoice in their printable form, the changed texts, and the texts that cannot be printed."""

from dataclasses import dataclass, field
from typing import Final

from domain.problems import Problem, Where
from domain.products.texts import LIMITS, transliterate

HIDDEN: Final = "***"


@dataclass(slots=True)
class Wording:
    """Collects the texts of one invoice in the plain form that it prints.

    `remarks` name the texts that lost their accents; `problems` name texts too long or without a plain form.
    """

    problems: list[Problem] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)

    def take(self, name: str, text: str, *, row: int, is_personal: bool = False) -> str:
        """Return a text in its printable form, and collect its problem or remark. `name` is a field of `LIMITS`.

        `is_personal`: the remark does not repeat the text.
        """
        plain, where, limit = transliterate(text), Where(row=row), LIMITS[name]
        if not plain or not plain.isascii() or not plain.isprintable():
            self.problems.append(Problem("product.characters", name, where))
        elif len(plain) > limit:
            self.problems.append(Problem("text.too_long", name, where, {"length": len(plain), "limit": limit}))
        elif plain != " ".join(text.split()):
            shown = HIDDEN if is_personal else plain[:60]
            self.remarks.append(Problem("product.transliterated", name, where, {"text": shown}))
        return plain
