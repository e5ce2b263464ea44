"""Lists of this service: a bare array, its neighbours told in one `Link` header."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from connectors.orders.twin.sales import missing
from connectors.twins.answers import Answer, Call, Refusal

DEFAULT_LIMIT: Final = 20
LARGEST_LIMIT: Final = 100
"""No maximum is documented; the sandbox has one, so that a client that trusts its own limit is seen [A 3.2]."""


def linked(
    call: Call, count: int, fetch: Callable[[int, int], list[Any]], *, is_bare_when_empty: bool = False
) -> Answer:
    """One page of `count` objects; `fetch(limit, offset)` brings them. A page that does not exist is a 404."""
    page, limit = _asked(call, "page", 1), min(_asked(call, "limit", DEFAULT_LIMIT), LARGEST_LIMIT)
    last = max(1, -(-count // limit))
    if page > last:
        raise missing()
    items = fetch(limit, (page - 1) * limit)
    if count == 0 and is_bare_when_empty:
        return Answer(200, items)
    places = {"next": page + 1 if page < last else None, "prev": page - 1 if page > 1 else None}
    places |= {"last": last, "first": 1}
    links = [f"<{_address(call, number)}>; rel={rel}" for rel, number in places.items() if number is not None]
    return Answer(200, items, {"Link": ", ".join(links)})


def _asked(call: Call, name: str, default: int) -> int:
    """From the query, or from a JSON body, which some clients send with a GET [A 3.8]."""
    body = call.body if isinstance(call.body, dict) else {}
    text = str(call.query.get(name, body.get(name, default)))
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0):
        raise Refusal(400, {"field_errors": {name: ["Informe um número inteiro positivo."]}})
    return int(text)


def _address(call: Call, page: int) -> str:
    """The other parameters are kept."""
    others = {name: value for name, value in call.query.items() if name != "page"}
    return f"{call.base}{call.path}/?{urlencode({**others, 'page': page})}"
