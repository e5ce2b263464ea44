"""Connections of a server that anybody may reach: each ends in time, however little its client sends."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


def brief(lasts_s: float, *, answer_s: float) -> type[H11Protocol]:
    """Return the protocol for connections that end `lasts_s` seconds after their begin.

    Without an end, a thousand silent connections would be all that the server may have. A connection with a request
    under way gets `answer_s` more seconds.
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
