"""Parse a list item by item, so that one item that is not as documented does not hide the others.

A list with such an item proves no absence: the item may be the one that somebody looks for. Therefore its readable
items come with `PartlyUnreadable`, which every caller that does not know it takes for `Unreadable`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from connectors.http.calls import UNLIKE_DOCUMENT, Response, error_reason
from connectors.http.errors import PartlyUnreadable

T = TypeVar("T")
_UNNAMED: Final = "?"
_LONGEST_ID: Final = 20


@dataclass(frozen=True, slots=True)
class UnreadItem:
    """An item that is not as documented: its id as text, `?` without a usable one, and the reason without content."""

    id: str
    reason: str


def tolerant(parse: Callable[[Any], T]) -> Callable[[Any], T | UnreadItem]:
    """Return a parser that returns an `UnreadItem` where `parse` raises for an undocumented shape."""

    def parse_or_describe(item: Any) -> T | UnreadItem:
        try:
            return parse(item)
        except UNLIKE_DOCUMENT as error:
            return UnreadItem(_id_of(item), error_reason(error))

    return parse_or_describe


def split_unread(found: Sequence[T | UnreadItem]) -> tuple[list[T], list[UnreadItem]]:
    """Return the readable items, and the others."""
    readable = [item for item in found if not isinstance(item, UnreadItem)]
    return readable, [item for item in found if isinstance(item, UnreadItem)]


def partly_unreadable(answer: Response, items: Sequence[Any], unread: Sequence[UnreadItem]) -> PartlyUnreadable:
    """Return the error for a list of which `answer` is the last page."""
    return PartlyUnreadable(
        answer.call.label,
        status=answer.status,
        wire=answer.wire,
        detail=f"{len(unread)} items not understood, the first: {unread[0].reason}",
        items=items,
        unread_ids=[item.id for item in unread],
    )


def ids_of(collection: Sequence[Any]) -> frozenset[str]:
    """Return what distinguishes a page's unparsed items: their ids; for an item without one, the item itself."""
    return frozenset(repr((item.get("id") if isinstance(item, dict) else None) or item) for item in collection)


def _id_of(item: Any) -> str:
    """Return the item's id for a message. Leave out a text that is no plain word: it may be anything."""
    found = item.get("id") if isinstance(item, dict) else None
    shown = "" if isinstance(found, bool) or not isinstance(found, int | str) else str(found)
    return shown if shown.isalnum() and len(shown) <= _LONGEST_ID else _UNNAMED
