"""HTML from values: everything that is not markup is escaped, so no client's text can become markup."""

from collections.abc import Iterable
from html import escape
from typing import Any, Final

_EMPTY: Final = frozenset({"meta"})


class Markup(str):
    """A text that is already HTML."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """Return an element. An attribute name loses a trailing underscore (`class_`); other underscores become hyphens."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{together(children)}</{name}>")


def together(parts: Iterable[Any]) -> Markup:
    """Return the concatenation of elements and texts; None is empty."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts if part is not None)
    )
