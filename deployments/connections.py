"""Limit the duration of a public server's connections, so that silent clients cannot exhaust it."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


def protocol_with_time_limit(lasts_s: float, *, answer_s: float) -> type[H11Protocol]:
    """Return the protocol class for connections that end `lasts_s` seconds after their begin.

    Otherwise a thousand silent connections would exhaust the server's limit. A connection with a request under way
    gets `answer_s` more seconds.
    """

    class Connection(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._timer = self.loop.call_later(lasts_s, self._end)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._timer is not None:
                self._timer.cancel()
            super().connection_lost(exc)

        def _end(self) -> None:
            if getattr(self.cycle, "response_complete", True):
                self.transport.close()
            else:
                self._timer = self.loop.call_later(answer_s, self.transport.close)

    return Connection
