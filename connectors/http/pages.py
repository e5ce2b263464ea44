"""Lists of the envelope `{count, next, previous, collection}`, page by page.

`next` is read for its page number only: its host is whatever the server believes its name to be, and a request that
follows it would carry our token there.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qs, urlsplit

from connectors.http.calls import understand
from connectors.http.errors import NotFound, Unreadable
from connectors.http.session import HttpSession

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page: `number` from 1, `count` of the whole list as this page tells it, the page's own `items`."""

    number: int
    count: int
    items: tuple[T, ...]


async def pages(
    session: HttpSession, path: str, parse: Callable[[Any], T], *, query: Mapping[str, str | int] | None = None
) -> AsyncGenerator[Page[T], None]:
    """All pages in order, lazily. Two listings may differ while the list grows: stability is the caller's to prove.

    A list that shrank under us answers 404 for a page it announced: the listing then just ends, and its items are
    fewer than `count`.
    """
    number = 1
    asked = dict(query or {})
    while True:
        try:
            answer = await session.read("GET", path, asked if number == 1 else {**asked, "page": number})
        except NotFound:
            if number == 1:
                raise
            return
        page, following = understand(answer, lambda data, number=number: _parse(data, number, parse))  # type: ignore[misc]
        yield page
        if following is None:
            return
        if following != number + 1 or following > session.page_ceiling:
            raise Unreadable(answer.call.label, status=answer.status, wire=answer.wire, detail=f"next page {following}")
        number = following


async def collect(
    session: HttpSession, path: str, parse: Callable[[Any], T], *, query: Mapping[str, str | int] | None = None
) -> list[T]:
    """The items of all pages."""
    return [item async for page in pages(session, path, parse, query=query) for item in page.items]


def _parse(data: Any, number: int, parse: Callable[[Any], T]) -> tuple[Page[T], int | None]:
    count, collection, following = data["count"], data["collection"], data.get("next")
    if isinstance(count, bool) or not isinstance(count, int) or not isinstance(collection, list):
        raise TypeError("not a list envelope")
    items = tuple(parse(item) for item in collection)
    return Page(number, count, items), None if following is None else int(_query_of(following)["page"][-1])


def _query_of(url: Any) -> dict[str, list[str]]:
    if not isinstance(url, str):
        raise TypeError("an address is text")
    return parse_qs(urlsplit(url).query)
