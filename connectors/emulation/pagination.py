"""Paged lists: in the invoice API's envelope, or bare with a `Link` header."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, urlencode

from connectors.emulation.messages import Call, Refusal, Response, not_found

PAGE_SIZE: Final = 10
DEFAULT_LIMIT: Final = 20
LARGEST_LIMIT: Final = 100
"""The document names no maximum; the sandbox has one, to reveal a client that trusts its own limit."""
_LONGEST_NUMBER: Final = 9


def envelope_page(call: Call, count: int, fetch: Callable[[int, int], list[Any]]) -> Response:
    """Return one page of `count` objects; `fetch(limit, offset)` reads them.

    `next` and `previous` keep the other filters [A notes 1.19]; a page that does not exist is a 404 [A notes 1.17].
    """
    page = _number(call.query.get("page", "1"))
    last = max(1, -(-count // PAGE_SIZE))
    if not 1 <= page <= last:
        raise not_found()
    body = {
        "count": count,
        "next": _address(call, page + 1) if page < last else None,
        "previous": _address(call, page - 1) if page > 1 else None,
        "collection": _drifting_fetch(call, count, fetch)(PAGE_SIZE, (page - 1) * PAGE_SIZE),
    }
    return Response(200, body)


def _address(call: Call, page: int) -> str:
    filters = {name: value for name, value in call.query.items() if name != "page"}
    return f"{call.base}{call.path}?{urlencode({**filters, 'page': page})}"


def link_header_page(
    call: Call,
    count: int,
    fetch: Callable[[int, int], list[Any]],
    *,
    missing: Callable[[], Refusal],
    is_bare_when_empty: bool = False,
) -> Response:
    """Return one page of `count` objects by `page` and `limit`; `fetch(limit, offset)` reads them.

    `missing` returns the refusal of a page that does not exist, whether its number is too large or no number.
    `is_bare_when_empty` omits the `Link` header of an empty list. Some clients send both numbers as the JSON body of a
    GET.
    """
    asked = {**(call.body if isinstance(call.body, dict) else {}), **call.query}
    page, limit = _number(asked.get("page", 1)), min(_number(asked.get("limit", DEFAULT_LIMIT)), LARGEST_LIMIT)
    if not limit:
        raise Refusal(400, {"field_errors": {"limit": ["Informe um número inteiro positivo."]}})
    last = max(1, -(-count // limit))
    if not 1 <= page <= last:
        raise missing()
    items = _drifting_fetch(call, count, fetch)(limit, (page - 1) * limit)
    if count == 0 and is_bare_when_empty:
        return Response(200, items)
    places = {"next": page + 1 if page < last else None, "prev": page - 1 if page > 1 else None}
    places |= {"last": last, "first": 1}
    links = [f"<{_with_slash(call, number)}>; rel={rel}" for rel, number in places.items() if number is not None]
    return Response(200, items, {"Link": ", ".join(links)})


def _drifting_fetch(call: Call, count: int, fetch: Callable[[int, int], list[Any]]) -> Callable[[int, int], list[Any]]:
    """Return `fetch`; with the fault `drifting_order`, shift the start of the list at each request.

    Consecutive pages then repeat some entries and omit others, though nothing was added.
    """
    fault = call.fault_of("drifting_order")
    if fault is None or not count:
        return fetch
    places = int(fault.get("places", 3)) * fault["applied"]

    def turned(limit: int, offset: int) -> list[Any]:
        size = min(limit, count - offset)
        found = fetch(size, (offset + places) % count)
        return found + fetch(size - len(found), 0) if len(found) < size else found

    return turned


def _number(value: Any) -> int:
    """Return a positive number of a request, 0 for anything else."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else 0


def _with_slash(call: Call, page: int) -> str:
    """Return the URL of another page with a slash at the end of its path; keep the rest of the query."""
    others = {name: value for name, value in call.query.items() if name != "page"}
    return f"{call.base}{quote(call.path)}/?{urlencode({**others, 'page': page})}"
