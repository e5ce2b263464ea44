"""Texts that a pattern finds and that lack a list of stems, from the pattern's own syntax tree."""

import re
from collections.abc import Iterable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

_REPEATED: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_WITHOUT_TEXT: Final = (codes.AT, codes.ASSERT, codes.ASSERT_NOT)
_MOST_LISTED: Final = 4
"""A class with more characters, such as a vowel or a digit, has its first one only."""


def texts_without(stems: tuple[str, ...], pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the texts without any of the stems in which the pattern is found.

    Try every choice of alternatives, each optional part once and not at all, each class by its first character.
    """
    yield from filter(
        pattern.search, _Texts(stems).of_sequence(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    )


class _Texts:
    """Texts of a part of the tree. A text with a stem is left out at once: whatever follows, the stem stays in it."""

    def __init__(self, stems: tuple[str, ...]) -> None:
        self._stems = stems

    def of_sequence(self, parts: Any) -> list[str]:
        texts = [""]
        for kind, value in parts:
            found = self._of_part(kind, value)
            texts = self._without_stems(text + more for text in texts for more in found)
        return texts

    def _without_stems(self, texts: Iterable[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if not any(stem in text for stem in self._stems)]

    def _of_part(self, kind: Any, value: Any) -> list[str]:
        if kind is codes.LITERAL:
            return [chr(value)]
        if kind is codes.IN:
            return _members(value)
        if kind is codes.BRANCH:
            return self._without_stems(text for branch in value[1] for text in self.of_sequence(branch))
        if kind is codes.SUBPATTERN:
            return self.of_sequence(value[3])
        if kind in _REPEATED:
            least, most, body = value
            times = {least, min(max(least, 1), most)}
            return self._without_stems(text * count for text in self.of_sequence(body) for count in times)
        assert kind in (*_WITHOUT_TEXT, codes.ANY, codes.NOT_LITERAL), kind
        return [""] if kind in _WITHOUT_TEXT else ["x"]


def _members(members: Any) -> list[str]:
    if len(members) <= _MOST_LISTED and all(kind is codes.LITERAL for kind, _ in members):
        return [chr(code) for _, code in members]
    kind, first = members[0]
    if kind is codes.CATEGORY:
        return ["5"]
    return ["x" if kind is codes.NEGATE else chr(first if kind is codes.LITERAL else first[0])]
