"""HTML from values: whatever is not markup already is escaped, so nothing that a client sent can become any."""

from collections.abc import Iterable
from html import escape
from typing import Any, Final

_EMPTY: Final = frozenset({"meta"})


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """Return an element. In attribute names, drop a trailing underscore (`class_`) and turn others into hyphens."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{together(children)}</{name}>")


def together(parts: Iterable[Any]) -> Markup:
    """Return elements and texts one after the other; None is nothing."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts if part is not None)
    )
