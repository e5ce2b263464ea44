"""Map an answer, or a missing answer, to one error class. Pure, so that a test can cover the whole table.

A write is classified by what the provider may have done, a read by whether a retry makes sense. An error status counts
only with a body that the provider itself writes (`connectors.http.error_bodies`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from connectors.http.bodies import is_nested_deeply
from connectors.http.calls import Call, Response
from connectors.http.error_bodies import DEFAULT, Dialect
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
from connectors.http.redact import MASK, SECRET_KEYS, mask_text
from connectors.http.wire_trace import Clock, Wire

_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_REFUSALS: Final = frozenset({400, 406, 422})
_MAX_MESSAGES: Final = 50
_LONGEST_AGE: Final = 12


def classify_no_answer(call: Call, error: Exception, wire: Wire, *, secrets: Sequence[str] = ()) -> ConnectorError:
    """Classify a request without a complete answer.

    A request counts as not sent only if the error is a known failure to connect and the trace shows no byte. The
    transport may quote a header that it cannot send, so `secrets` are masked.
    """
    detail = mask_text(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__, *secrets)
    if isinstance(error, _NOT_SENT) and not wire.was_begun:
        return Unreachable(call.label, wire=wire, detail=detail)
    return (Doubtful if call.is_write else Broken)(call.label, wire=wire, detail=detail)


def classify_answer(
    call: Call,
    answer: Response,
    clock: Clock,
    *,
    dialect: Dialect = DEFAULT,
    secrets: Callable[[], Sequence[str]] = tuple,
) -> ConnectorError | None:
    """Return the error that the answer means, None for a success.

    `clock` turns a Retry-After date into seconds. `dialect` lists the provider's own error bodies. `secrets` are those
    in the request; no message repeats them.
    """
    is_readable = answer.is_json or answer.status == 204 or 300 <= answer.status < 400  # a redirect has only a header
    if answer.status in call.expect and is_readable and not _is_stored(answer):
        return None
    if is_nested_deeply(answer.data):
        # No provider writes this, and a recursive walk through it would overflow Python's stack.
        answer = replace(answer, data=None, is_json=False)
    messages = messages_of(answer.data, *secrets())
    keys = tuple(answer.data) if isinstance(answer.data, Mapping) else ()
    is_own = dialect.is_own(answer)
    kind = _write_class(call, answer, keys, is_own=is_own) if call.is_write else _read_class(answer, is_own=is_own)
    return kind(
        call.label,
        status=answer.status,
        messages=messages,
        keys=keys,
        wire=answer.wire,
        detail=_detail(answer, messages, is_own=is_own),
        retry_after=_retry_after(answer, clock),
    )


def _write_class(call: Call, answer: Response, keys: tuple[str, ...], *, is_own: bool) -> type[ConnectorError]:
    """Classify the failure of a write: `Doubtful` if it may have been done, `Disturbed` if no row is the reason."""
    status = answer.status
    if status == 429:
        return Doubtful if call.issues else Busy
    # A 408 comes from a server or proxy that gave up waiting, perhaps after it passed the request on.
    if status >= 300 and (status >= 500 or status == 408 or not is_own):
        return Doubtful
    if status < 300:
        return Disturbed if answer.is_json else Doubtful
    if status in (401, 403):
        return Denied
    if status in (404, 409) and status in call.foreseen:
        return NotFound if status == 404 else Conflict
    if status in _REFUSALS and call.is_about_row and call.alarms.isdisjoint(keys):
        return Refused
    return Disturbed


def _read_class(answer: Response, *, is_own: bool) -> type[ConnectorError]:
    """Classify the failure of a read: `Broken` if another server answered, because a retry may reach the provider."""
    status = answer.status
    if status == 429 or (status == 503 and "retry-after" in answer.headers):
        return Busy
    if _is_stored(answer):
        return Broken
    if status < 400 and (answer.is_json or status >= 300):
        return Unreadable
    if status >= 500 or status == 408 or not is_own:
        return Broken
    if status in _REFUSALS:
        return Refused
    return {401: Denied, 403: Denied, 404: NotFound, 409: Conflict}.get(status, Unreadable)


def messages_of(data: Any, *secrets: str) -> dict[str, list[str]]:
    """Return the provider's messages by dotted field, masked, length-limited and without `secrets`.

    Reads every known shape: field → list of messages; nested as an object, or as a list with one object; `detail` as
    plain text; a bare text or list of texts (under the empty key) [A 1.15, 1.16, 1.17].
    """
    found: dict[str, list[str]] = {}
    for count, (field, text) in enumerate(_walk(data, "")):
        if count == _MAX_MESSAGES:
            break
        found.setdefault(mask_text(field, *secrets), []).append(mask_text(text, *secrets))
    return found


def _walk(data: Any, field: str) -> Iterable[tuple[str, str]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            # A list under this key holds messages about the secret; a bare text is the secret.
            is_secret = str(key).lower() in SECRET_KEYS and isinstance(value, str)
            yield from _walk(MASK if is_secret else value, f"{field}.{key}" if field else str(key))
    elif isinstance(data, list):
        for item in data:
            yield from _walk(item, field)
    elif data is not None:
        yield field, str(data)


def _is_stored(answer: Response) -> bool:
    """Return whether a cache answered a read (`Age` above 0): the provider's data may be newer."""
    age = answer.headers.get("age", "").strip()
    return not answer.call.is_write and age.isascii() and age.isdigit() and int(age[:_LONGEST_AGE]) > 0


def _detail(answer: Response, messages: Mapping[str, list[str]], *, is_own: bool) -> str:
    if _is_stored(answer):
        return "an answer that a cache had stored"
    if not answer.is_json and answer.status != 204 and not is_own:
        return "the answer's body is not JSON"
    if 400 <= answer.status < 500 and answer.status not in (408, 429) and not is_own:
        return f"status {answer.status} in a body that the provider does not write"
    words = "; ".join(
        f"{field}: {', '.join(texts)}" if field else ", ".join(texts) for field, texts in messages.items()
    )
    return mask_text(words) if answer.status >= 300 else f"status {answer.status} is not what was asked"


def _retry_after(answer: Response, clock: Clock) -> float | None:
    """Return the seconds in `Retry-After` (a number or a date), without a limit; None if missing or invalid."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
        # An HTTP date is always in GMT, even without a zone.
        return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - clock()).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
