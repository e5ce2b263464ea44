"""Collects the texts of one invoice as they will be sent, and what had to be changed or cannot be sent."""

from dataclasses import dataclass, field
from typing import Final

from domain.problems import Problem, Where
from domain.products.texts import transliterated

HIDDEN: Final = "***"


@dataclass(slots=True)
class Wording:
    """`remarks` tell which texts lost their accents; `problems` which do not fit or cannot be written without."""

    problems: list[Problem] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)

    def take(self, name: str, text: str, limit: int, *, row: int, is_personal: bool = False) -> str:
        """The text for the wire. A personal one is not repeated in a remark."""
        plain, where = transliterated(text), Where(row=row)
        if not plain.isascii() or not plain.isprintable():
            self.problems.append(Problem("product.characters", name, where))
        elif len(plain) > limit:
            self.problems.append(Problem("text.too_long", name, where, {"length": len(plain), "limit": limit}))
        elif plain != " ".join(text.split()):
            shown = HIDDEN if is_personal else plain[:60]
            self.remarks.append(Problem("product.transliterated", name, where, {"text": shown}))
        return plain
