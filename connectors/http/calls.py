"""One call and its answer, as small objects without I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from connectors.http.errors import Doubtful, Unreadable
from connectors.http.wire_trace import Wire

T = TypeVar("T")

OK: Final = frozenset({200})
NOTHING: Final[frozenset[int]] = frozenset()
NO_ALARMS: Final[frozenset[str]] = frozenset()
DISTURBING_KEYS: Final = frozenset({"batch", "batch_id", "emitter_id", "rps", "number", "serie"})
"""Top-level keys of an error that concern the batch, the emitter or the numbers, never one row's content."""
UNLIKE_DOCUMENT: Final = (ValueError, KeyError, TypeError, OverflowError, RecursionError)
"""Exceptions that a parser raises for an answer that is not as documented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, and the meaning of its possible answers.

    Args:
        is_write: The call changes data, so that a second one could do harm.
        expect: The statuses of success.
        foreseen: Which of 404 and 409 a write expects: they raise `NotFound` and `Conflict`, otherwise `Disturbed`.
        is_about_row: A refusal may be about one row. False for send and cancel: there any refusal means that somebody
            else changed the batch.
        alarms: Top-level keys of a refusal that show a changed batch. Empty for master data: there, `number` is a
            house number.
        issues: The call makes a tax document. A 429 is then `Doubtful`: the provider may check its limit after the
            work.
        has_bare_404: A 404 with an empty HTML page is this call's documented answer (mirror, XML, PDF).
        is_page: The request asks for one page of a list by its number.
    """

    method: str
    path: str
    is_write: bool
    expect: frozenset[int] = OK
    foreseen: frozenset[int] = NOTHING
    is_about_row: bool = True
    alarms: frozenset[str] = DISTURBING_KEYS
    issues: bool = False
    has_bare_404: bool = False
    is_page: bool = False

    @property
    def has_empty_answer(self) -> bool:
        """Return whether the answer has no body to compare with the request."""
        return self.method == "DELETE"

    @property
    def label(self) -> str:
        """Return the request's name for errors and logs, without the query, which may hold a CPF."""
        return f"{self.method} {self.path.removeprefix('/api/v1/')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A complete answer.

    `data` is the parsed JSON, None if there is none; `headers` have lower-case names; `size` is the decoded body's
    length in bytes.
    """

    call: Call
    status: int
    headers: Mapping[str, str]
    data: Any
    is_json: bool
    wire: Wire
    size: int = 0

    @property
    def media(self) -> str:
        """The content type without its parameters, in lower case; empty if the header is missing."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def understand(answer: Response, parse: Callable[[Any], T]) -> T:
    """Parse the answer's data.

    If `parse` raises one of `UNLIKE_DOCUMENT`, raises `Unreadable` for a read. Raises `Doubtful` for a write: the
    provider did something, and we do not know what.
    """
    try:
        return parse(answer.data)
    except UNLIKE_DOCUMENT as error:
        kind = Doubtful if answer.call.is_write else Unreadable
        # The cause is not chained: it quotes the answer, which may hold personal data.
        raise kind(
            answer.call.label,
            status=answer.status,
            wire=answer.wire,
            detail=f"answer not understood: {error_reason(error)}",
        ) from None


def require_same(found: T, what: str, *, asked: object, answered: object) -> T:
    """Return `found` if the answer is about the resource in the request.

    Raises `ValueError`, which `understand` turns into `Unreadable` or `Doubtful`. Its message names the kind of id
    (`what`) and no id, because some ids identify a person.
    """
    if asked != answered:
        raise OtherResource(what)
    return found


class OtherResource(ValueError):
    """The answer describes another resource than the request; the text names the differing field."""


def error_reason(error: Exception) -> str:
    """Describe a parser's error by field and type, without the field's content."""
    if isinstance(error, OtherResource):
        return f"the answer has another {error}"
    places = getattr(error, "errors", None)
    if callable(places):
        return ", ".join(".".join(str(part) for part in found["loc"]) + " " + found["type"] for found in places()[:3])
    return f"{type(error).__name__} {error}" if isinstance(error, KeyError) else type(error).__name__
