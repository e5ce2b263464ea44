"""Record what one call wrote to the wire, from the transport's events and not from an exception's class."""

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

Clock = Callable[[], datetime]

_HEAD: Final = ".send_request_headers.started"
_BODY: Final = ".send_request_body.started"


def utc_now() -> datetime:
    """Return the current aware instant in UTC; the default clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """When a request was written, in aware UTC instants.

    `first_byte_at` is None if no byte was handed to a connection. `last_byte_at` is the end of the call, because a part
    of the request may wait in a buffer until then. `requests` counts the requests begun, earlier tries of the call
    included.
    """

    first_byte_at: datetime | None = None
    last_byte_at: datetime | None = None
    requests: int = 0

    @property
    def was_begun(self) -> bool:
        """Return whether the provider may have received a part of the last try."""
        return self.first_byte_at is not None


NOTHING_SENT: Final = Wire()


class Expired(Exception):
    """The last instant for a write passed: nothing or only the head of the request was written."""


class Trace:
    """Listens to httpcore's `trace` extension during one request, to learn when the first byte is written.

    `is_too_late` is checked before each write: of the head, and of the body of a request that has one. Otherwise a
    process that was frozen between its own check and the socket would write after another worker took its lease.
    httpcore yields to the event loop between head and body, and a server acts only on the body's last byte.

    httpcore fires a dozen trace events: the listener removes itself with the last write, to save callbacks.
    """

    __slots__ = ("_clock", "_has_body", "_hung_in", "_is_too_late", "first_byte_at")

    def __init__(
        self, clock: Clock, is_too_late: Callable[[], bool] = lambda: False, *, has_body: bool = False
    ) -> None:
        self._clock = clock
        self._is_too_late = is_too_late
        self._has_body = has_body
        self._hung_in: MutableMapping[str, Any] = {}
        self.first_byte_at: datetime | None = None

    def listen(self, extensions: MutableMapping[str, Any]) -> None:
        """Register for this request's events."""
        self._hung_in = extensions
        extensions["trace"] = self

    async def __call__(self, event: str, _info: dict[str, Any]) -> None:
        """Handle one trace event; httpcore requires a coroutine. Raises `Expired` before a write that is too late."""
        is_head = self.first_byte_at is None and event.endswith(_HEAD)
        if not is_head and not event.endswith(_BODY):
            return
        if self._is_too_late():
            raise Expired
        if is_head:
            self.first_byte_at = self._clock()
        if not (is_head and self._has_body):
            self._hung_in.pop("trace", None)

    def wire(self, *, earlier: int) -> Wire:
        """Return what was written. Call it at the end of the request; `earlier` counts the call's earlier requests."""
        if self.first_byte_at is None:
            return Wire(requests=earlier)
        return Wire(first_byte_at=self.first_byte_at, last_byte_at=self._clock(), requests=earlier + 1)
