"""Lists of the envelope `{count, next, previous, collection}`, page by page.

Only the page number of `next` is used, never its host: a request to that host could send our token elsewhere.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar
from urllib.parse import parse_qs, urlsplit

from connectors.http.calls import Response, understand
from connectors.http.errors import NotFound, Unreadable
from connectors.http.list_items import UnreadItem, ids_of, partly_unreadable, split_unread, tolerant
from connectors.http.session import HttpSession

T = TypeVar("T")
_MOST_LISTINGS: Final = 5


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page: its `number` from 1, the `count` of the whole list at that time, and the page's `items`."""

    number: int
    count: int
    items: tuple[T, ...]


async def pages(
    session: HttpSession,
    path: str,
    parse: Callable[[Any], T],
    *,
    query: Mapping[str, str | int] | None = None,
    ahead: int = 1,
) -> AsyncGenerator[Page[T], None]:
    """Yield all pages in order. A list may change between two pages: the caller proves that it did not.

    Up to `ahead` pages are requested at once, as many as the first page's size and count announce. If the list shrank,
    an announced page answers 404, and the listing ends there with fewer items than `count`. Close the generator when
    leaving early.

    Raises `PartlyUnreadable` after the last page if `parse` refused some items: the pages have the others. Raises
    `Unreadable` for a list that goes on although it has shown more items than its `count`, or a page twice.
    """
    asked = dict(query or {})
    pending: deque[asyncio.Task[Response | None]] = deque()
    walk = _Walk()
    try:
        latest = await session.read("GET", path, asked)
        answer: Response | None = latest
        number, begun, size = 1, 1, 0
        while answer is not None:
            found, following = understand(answer, lambda data, number=number: _parse(data, number, tolerant(parse)))  # type: ignore[misc]
            size = size or max(1, len(found.items))
            page, latest = walk.readable(found), answer
            yield page
            if following is None:
                break
            fault = walk.fault(answer.data["collection"], page.count)
            if fault is not None or following != number + 1 or following > session.page_ceiling:
                detail = fault or f"next page {following}"
                raise Unreadable(answer.call.label, status=answer.status, wire=answer.wire, detail=detail)
            last = max(following, min(-(-page.count // size), session.page_ceiling))
            while len(pending) < ahead and begun < last:
                begun += 1
                pending.append(asyncio.create_task(_read_next_page(session, path, {**asked, "page": begun})))
            answer, number = await pending.popleft(), following
        if walk.unread:
            raise partly_unreadable(latest, (), walk.unread)
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


@dataclass(slots=True)
class _Walk:
    """The pages of one listing so far: the number of their items, the unread ones, and the ids of each page."""

    items: int = 0
    unread: list[UnreadItem] = field(default_factory=list)
    shown: set[tuple[int, frozenset[str]]] = field(default_factory=set)

    def readable(self, found: Page[T | UnreadItem]) -> Page[T]:
        """Return the page without the items that are not as documented; keep those."""
        items, unread = split_unread(found.items)
        self.unread += unread
        return Page(found.number, found.count, tuple(items))

    def fault(self, collection: Sequence[Any], count: int) -> str | None:
        """Return why no page can follow this one, or None.

        A list that changes between two pages may show a page's items again, but then its `count` changes, too.
        """
        self.items += len(collection)
        if self.items > count:
            return f"{self.items} items of {count}"
        contents = count, ids_of(collection)
        if contents in self.shown:
            return "a page came twice"
        self.shown.add(contents)
        return None


async def _read_next_page(session: HttpSession, path: str, query: Mapping[str, str | int]) -> Response | None:
    """Return the answer of a page after the first, None if the list has no such page any more."""
    try:
        return await session.read("GET", path, query)
    except NotFound:
        return None


async def one_page(session: HttpSession, path: str, parse: Callable[[Any], T], *, number: int) -> Page[T] | None:
    """Return one page, None if the list has no such page. Raises `NotFound` if there is not even page 1."""
    try:
        answer = await session.read("GET", path, {"page": number} if number > 1 else None)
    except NotFound:
        if number == 1:
            raise
        return None
    return understand(answer, lambda data: _parse(data, number, parse)[0])


async def collect(
    session: HttpSession, path: str, parse: Callable[[Any], T], *, query: Mapping[str, str | int] | None = None
) -> list[T]:
    """Return the items of all pages, complete and without repeats.

    Reads the list again, up to five times in all, while the items differ from its `count`: it changed between pages.
    Raises `Unreadable` if they always differ: the provider truncates the list.
    """
    detail = ""
    for _ in range(_MOST_LISTINGS):
        found = [page async for page in pages(session, path, parse, query=query)]
        items = [item for page in found for item in page.items]
        counts = {page.count for page in found}
        if counts == {len(items)} and not _has_repeats(items):
            return items
        detail = f"{len(items)} items of {'/'.join(map(str, sorted(counts)))}"
    raise Unreadable(f"GET {path.removeprefix('/api/v1/')}", status=200, detail=detail)


def _has_repeats(items: Sequence[Any]) -> bool:
    """Return whether an id occurs twice; some resources (cities) have no ids."""
    ids = [item.id for item in items if getattr(item, "id", None) is not None]
    return len(set(ids)) < len(ids)


def _parse(data: Any, number: int, parse: Callable[[Any], T]) -> tuple[Page[T], int | None]:
    count, collection, following = data["count"], data["collection"], data.get("next")
    if isinstance(count, bool) or not isinstance(count, int) or not isinstance(collection, list):
        raise TypeError("not a list envelope")
    items = tuple(parse(item) for item in collection)
    # The last page has null or an empty text.
    is_last = following is None or following == ""
    return Page(number, count, items), None if is_last else int(_query_of(following)["page"][-1])


def _query_of(url: Any) -> dict[str, list[str]]:
    if not isinstance(url, str):
        raise TypeError("an address is text")
    return parse_qs(urlsplit(url).query)
