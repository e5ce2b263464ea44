"""Find the placeholders of a text: each is a name in braces, single or doubled.

People double a brace because other programs ask for it; a placeholder means the same either way.
"""

import re
from collections.abc import Callable
from typing import Final

from domain.texts import folded

_PLACEHOLDER: Final = re.compile(r"\{\{([^{}]*)\}\}|\{([^{}]*)\}")
_BRACES: Final = frozenset("{}")


def placeholders_in(text: str) -> list[str]:
    """Return the names in braces, as they are written."""
    return [_name(found) for found in _PLACEHOLDER.finditer(text)]


def fill_placeholders(text: str, value_of: Callable[[str], str | None]) -> str:
    """Return the text with the value of each name. A placeholder without a value stays unchanged."""

    def fill(found: re.Match[str]) -> str:
        value = value_of(_name(found))
        return found[0] if value is None else value

    return _PLACEHOLDER.sub(fill, text)


def has_stray_brace(text: str) -> bool:
    """Return whether a brace belongs to no placeholder; an invoice would print it."""
    return not _BRACES.isdisjoint(_PLACEHOLDER.sub("", text))


def normalize_name(name: str) -> str:
    """Return a placeholder's name without accents, letter case and double spaces."""
    return " ".join(folded(name).split())


def _name(found: re.Match[str]) -> str:
    return str(found[1] if found[2] is None else found[2])
