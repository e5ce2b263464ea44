"""One call and its answer, as small objects without I/O."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from connectors.http.errors import Doubtful, Unreadable
from connectors.http.wire import Wire

T = TypeVar("T")

OK: Final = frozenset({200})
NOTHING: Final[frozenset[int]] = frozenset()
NO_ALARMS: Final[frozenset[str]] = frozenset()
DISTURBING_KEYS: Final = frozenset({"batch", "batch_id", "emitter_id", "rps", "number", "serie"})
"""Top-level keys of an error that speak of the batch, the emitter or the numbers, never of one row's content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is asked for, and which answers count as one.

    `is_write` means that doing it twice does harm. `expect` are the statuses that were asked for; `foreseen` those
    of 404 and 409 that answer a write instead of alarming about it. `is_about_row`: a refusal may be one row's own
    trouble; where it is False (send, cancel) any refusal tells that the batch is not as we left it. `alarms` are the
    keys of a refusal that tell the same; none of them where master data is written, whose `number` is a house's.
    """

    method: str
    path: str
    is_write: bool
    expect: frozenset[int] = OK
    foreseen: frozenset[int] = NOTHING
    is_about_row: bool = True
    alarms: frozenset[str] = DISTURBING_KEYS

    @property
    def label(self) -> str:
        """For errors and logs: without the query, which may hold a CPF."""
        return f"{self.method} {self.path.removeprefix('/api/v1/')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer. `data` is the parsed JSON, None where there is none; `headers` have lower-case names."""

    call: Call
    status: int
    headers: Mapping[str, str]
    data: Any
    is_json: bool
    wire: Wire


def understand(answer: Answer, parse: Callable[[Any], T]) -> T:
    """What `parse` makes of the answer's data.

    `parse` raises ValueError, KeyError or TypeError for what it does not know: then a read is `Unreadable`, while a
    write is `Doubtful`, for it was done and we do not know what.
    """
    try:
        return parse(answer.data)
    except (ValueError, KeyError, TypeError) as error:
        kind = Doubtful if answer.call.is_write else Unreadable
        # The cause is not chained: it quotes the answer, which may hold personal data.
        raise kind(
            answer.call.label, status=answer.status, wire=answer.wire, detail=f"answer not understood: {reason(error)}"
        ) from None


def reason(error: Exception) -> str:
    """Which field is wrong, in few words and without the field's content."""
    places = getattr(error, "errors", None)
    if callable(places):
        return ", ".join(".".join(str(part) for part in found["loc"]) + " " + found["type"] for found in places()[:3])
    return f"{type(error).__name__} {error}" if isinstance(error, KeyError) else type(error).__name__
