"""Lists with pages in the `Link` header: the first page names the last, so the others are requested concurrently.

Only the page number of a link is used, never its host: a request to that host could send our credentials elsewhere.
"""

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from urllib.parse import parse_qs, urlsplit

from connectors.http.calls import Response, understand
from connectors.http.errors import NotFound, Unreadable
from connectors.http.list_items import ids_of
from connectors.http.session import HttpSession
from connectors.http.wire_values import read_list

T = TypeVar("T")

_LINK: Final = re.compile(r"<([^<>]*)>([^<]*)")
# the relation is unquoted on the wire, quoted in the standard
_REL: Final = re.compile(r""";\s*+rel\s*+=\s*+"?\s*+([A-Za-z]+)""")
_LONGEST_NUMBER: Final = 9


@dataclass(frozen=True, slots=True)
class LinkedPage(Generic[T]):
    """One page: its `number` from 1, the `last` page of the list at that time, and the page's `items`."""

    number: int
    last: int
    items: tuple[T, ...]


async def linked_pages(
    session: HttpSession,
    path: str,
    parse: Callable[[Any], T],
    *,
    query: Mapping[str, str | int] | None = None,
    first: int = 1,
    ahead: int = 1,
) -> AsyncGenerator[LinkedPage[T], None]:
    """Yield pages from `first` on, in order; request up to `ahead` of them before they are needed.

    A list that grew meanwhile is read to its new end; a list that shrank ends early. The caller must prove that no item
    moved between pages. Close the generator when leaving early. Raises `Unreadable` for a list that goes on although it
    has shown a page twice.
    """
    ask = _Asker(session, path, parse, dict(query or {}))
    pending: deque[asyncio.Task[Response | None]] = deque()
    shown: set[frozenset[str]] = set()
    try:
        answer: Response | None = await ask.answer(first)
        number, last, following = first, first, first + 1
        while answer is not None:
            announced = ask.last(answer, number)
            last = max(last, announced)
            contents = ids_of(answer.data if isinstance(answer.data, list) else ())
            if announced > number and contents in shown:
                detail = "a page came twice"
                raise Unreadable(answer.call.label, status=answer.status, wire=answer.wire, detail=detail)
            shown.add(contents)
            while following <= last and len(pending) < ahead:
                pending.append(asyncio.create_task(ask.answer(following, is_optional=True)))
                following += 1
            # in a thread, so that the event loop sends the next requests while this page is parsed
            yield await asyncio.to_thread(ask.page, answer, number)
            if not pending:
                return
            answer, number = await pending.popleft(), number + 1
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


async def linked_list(
    session: HttpSession, path: str, parse: Callable[[Any], T], *, query: Mapping[str, str | int] | None = None
) -> list[T]:
    """Return the items of all pages. Does not check that the list stayed the same meanwhile."""
    return [item async for page in linked_pages(session, path, parse, query=query) for item in page.items]


async def linked_page(
    session: HttpSession, path: str, parse: Callable[[Any], T], *, query: Mapping[str, str | int], number: int
) -> LinkedPage[T]:
    """Return one page by its number. Raises `NotFound` if the list has no such page."""
    ask = _Asker(session, path, parse, dict(query))
    answer = await ask.answer(number)
    assert answer is not None
    return ask.page(answer, number)


def linked_numbers(header: str) -> dict[str, int]:
    """Return page numbers by relation from a `Link` header; leave out links without a page."""
    found: dict[str, int] = {}
    for address, parameters in _LINK.findall(header):
        rel = _REL.search(parameters)
        number = parse_qs(urlsplit(address).query).get("page", [""])[-1]
        if rel and number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER:
            found[rel[1].lower()] = int(number)
    return found


class _Asker(Generic[T]):
    """Requests the pages of one list."""

    def __init__(self, session: HttpSession, path: str, parse: Callable[[Any], T], query: dict[str, str | int]) -> None:
        self._session, self._path, self._parse, self._query = session, path, parse, query

    async def answer(self, number: int, *, is_optional: bool = False) -> Response | None:
        """Return the page's answer, or None for an `is_optional` page that does not exist."""
        asked = self._query if number == 1 else {**self._query, "page": number}
        try:
            return await self._session.read("GET", self._path, asked)
        except NotFound:
            if is_optional:
                return None
            raise

    def page(self, answer: Response, number: int) -> LinkedPage[T]:
        """Parse the answer. Raises `Unreadable`."""
        return LinkedPage(number, self.last(answer, number), understand(answer, self._items))

    def _items(self, data: Any) -> tuple[T, ...]:
        return tuple(self._parse(item) for item in read_list(data))

    def last(self, answer: Response, number: int) -> int:
        """Return the number of the list's last page, according to this page."""
        numbers = linked_numbers(answer.headers.get("link", ""))
        last = max(number, numbers.get("last", number), numbers.get("next", number))
        if last > self._session.page_ceiling:
            raise Unreadable(answer.call.label, status=answer.status, wire=answer.wire, detail=f"last page {last}")
        return last
