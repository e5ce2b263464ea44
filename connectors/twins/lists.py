"""The list envelope of the provider: ten objects a page, full addresses to the neighbours."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from connectors.twins.answers import Answer, Call, not_found

PAGE_SIZE: Final = 10


def paged(call: Call, count: int, fetch: Callable[[int, int], list[Any]]) -> Answer:
    """One page of `count` objects; `fetch(limit, offset)` brings its collection.

    `next` and `previous` keep the other filters [A notes 1.19]; a page that does not exist is a 404 [A notes 1.17].
    """
    wanted = call.query.get("page", "1")
    page = int(wanted) if wanted.isascii() and wanted.isdigit() else 0
    last = max(1, -(-count // PAGE_SIZE))
    if not 1 <= page <= last:
        raise not_found()
    body = {
        "count": count,
        "next": _address(call, page + 1) if page < last else None,
        "previous": _address(call, page - 1) if page > 1 else None,
        "collection": fetch(PAGE_SIZE, (page - 1) * PAGE_SIZE),
    }
    return Answer(200, body)


def _address(call: Call, page: int) -> str:
    filters = {name: value for name, value in call.query.items() if name != "page"}
    return f"{call.base}{call.path}?{urlencode({**filters, 'page': page})}"
