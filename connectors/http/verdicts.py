"""Which error an answer is, or a silence: one pure table, so that a test can walk through all of it.

A write is judged for what may have happened at the provider, a read only for whether it is worth asking again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from connectors.http.calls import Answer, Call
from connectors.http.errors import (
    Broken,
    Busy,
    Conflict,
    ConnectorError,
    Denied,
    Disturbed,
    Doubtful,
    NotFound,
    Refused,
    Unreachable,
    Unreadable,
)
from connectors.http.redact import MASK, SECRET_KEYS, masked
from connectors.http.wire import Clock, Wire

_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_REFUSALS: Final = frozenset({400, 406, 422})
_MAX_MESSAGES: Final = 50


def judge_silence(call: Call, error: Exception, wire: Wire) -> ConnectorError:
    """No whole answer. "Not sent" takes both: an error of the short list, and a trace that shows no byte."""
    detail = masked(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
    if isinstance(error, _NOT_SENT) and not wire.was_begun:
        return Unreachable(call.label, wire=wire, detail=detail)
    return (Doubtful if call.is_write else Broken)(call.label, wire=wire, detail=detail)


def judge_answer(
    call: Call, answer: Answer, clock: Clock, *, secrets: Callable[[], Sequence[str]] = tuple
) -> ConnectorError | None:
    """None if the answer is one that was asked for. The clock gives a Retry-After date its length.

    `secrets` are what the request carried and no word of the answer may repeat.
    """
    is_readable = answer.is_json or answer.status == 204 or 300 <= answer.status < 400  # a redirect is its header
    if answer.status in call.expect and is_readable:
        return None
    messages = messages_of(answer.data, *secrets())
    keys = tuple(answer.data) if isinstance(answer.data, Mapping) else ()
    kind = (_write_class if call.is_write else _read_class)(call, answer, keys)
    return kind(
        call.label,
        status=answer.status,
        messages=messages,
        keys=keys,
        wire=answer.wire,
        detail=_detail(answer, messages),
        retry_after=_retry_after(answer, clock),
    )


def _write_class(call: Call, answer: Answer, keys: tuple[str, ...]) -> type[ConnectorError]:
    """Doubt where it may have been done unseen; Disturbed wherever the answer is none that a row can explain."""
    status = answer.status
    if status in (401, 403):
        return Denied
    if status == 429:
        return Busy
    # 408 is a server or proxy that gave up on us: it may have given up after passing the request on.
    if status >= 500 or status == 408 or (status < 300 and not answer.is_json):
        return Doubtful
    if status in (404, 409) and status in call.foreseen:
        return NotFound if status == 404 else Conflict
    # A refusal without readable words cannot be shown to be about this row.
    if status in _REFUSALS and answer.is_json and call.is_about_row and call.alarms.isdisjoint(keys):
        return Refused
    return Disturbed


def _read_class(_call: Call, answer: Answer, _keys: tuple[str, ...]) -> type[ConnectorError]:
    status = answer.status
    if status == 503 and "retry-after" in answer.headers:
        return Busy
    if status >= 500 or status == 408 or (status < 300 and not answer.is_json):
        return Broken
    if status in _REFUSALS:
        return Refused
    by_status = {401: Denied, 403: Denied, 404: NotFound, 409: Conflict, 429: Busy}
    return by_status.get(status, Unreadable)


def messages_of(data: Any, *secrets: str) -> dict[str, list[str]]:
    """The provider's words by dotted field, masked and bounded; none of `secrets` is left in them.

    Understands every shape that is known: field → list of messages; nested as an object, or as a list with one
    object; `detail` as plain text; a bare text or list of texts (under the empty key) [A 1.15, 1.16, 1.17].
    """
    found: dict[str, list[str]] = {}
    for count, (field, text) in enumerate(_walk(data, "")):
        if count == _MAX_MESSAGES:
            break
        found.setdefault(masked(field, *secrets), []).append(masked(text, *secrets))
    return found


def _walk(data: Any, field: str) -> Iterable[tuple[str, str]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            # a list under such a key says what is wrong with it; a bare text is the secret itself
            is_secret = str(key).lower() in SECRET_KEYS and isinstance(value, str)
            yield from _walk(MASK if is_secret else value, f"{field}.{key}" if field else str(key))
    elif isinstance(data, list):
        for item in data:
            yield from _walk(item, field)
    elif data is not None:
        yield field, str(data)


def _detail(answer: Answer, messages: Mapping[str, list[str]]) -> str:
    if not answer.is_json and answer.status != 204:
        return "the answer's body is not JSON"
    words = "; ".join(
        f"{field}: {', '.join(texts)}" if field else ", ".join(texts) for field, texts in messages.items()
    )
    return masked(words) if answer.status >= 300 else f"status {answer.status} is not what was asked"


def _retry_after(answer: Answer, clock: Clock) -> float | None:
    """Seconds, from either form of the header, however many; what is neither counts as not said."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
        # every form of such a date means GMT, whether it says so or not
        return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - clock()).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
