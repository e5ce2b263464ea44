"""Access to uvicorn's real sockets, so that faults are real on the wire.

`WatchedProtocol` is uvicorn's HTTP protocol, which also reports each new and lost connection to a `Wire`.
"""

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

Address = tuple[str, int]
_LINGER_ZERO: Final = struct.pack("ii", 1, 0)
_PATIENCE_S: Final = 5.0


class Wire:
    """The open connections by the client's address. `on_connect` may return a fault for a new connection.

    `now` is the provider's clock, in seconds since 1970.
    """

    def __init__(self, on_connect: Callable[[], str | None] = lambda: None) -> None:
        self.now: Callable[[], float] = time.time
        self._open: dict[Address, asyncio.Transport] = {}
        self._gone: dict[Address, asyncio.Event] = {}
        self.on_connect = on_connect

    def opened(self, address: Address, transport: asyncio.Transport) -> None:
        self._open[address] = transport
        kind = self.on_connect()
        if kind == "reset_accept":
            _reset(transport)
        elif kind == "close_accept":
            transport.close()

    def closed(self, address: Address) -> None:
        self._open.pop(address, None)
        event = self._gone.pop(address, None)
        if event is not None:
            event.set()

    async def close(self, address: Address) -> None:
        """Close gracefully: send what was written, then FIN."""
        transport = self._open.get(address)
        if transport is not None:
            transport.close()
            await self._until_gone(address)

    async def reset(self, address: Address) -> None:
        """Close the connection with RST."""
        transport = self._open.get(address)
        if transport is not None:
            _reset(transport)
            await self._until_gone(address)

    async def write_and_close(self, address: Address, raw: bytes) -> None:
        """Send exactly these bytes, then close."""
        transport = self._open.get(address)
        if transport is not None:
            transport.write(raw)
            await self.close(address)

    async def until_client_leaves(self, address: Address, seconds: float) -> None:
        """Wait while the client keeps this connection open, at most `seconds`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._departure(address).wait(), seconds)

    async def _until_gone(self, address: Address) -> None:
        # uvicorn logs an error for an application that returns without an answer, unless the connection is closed
        await self.until_client_leaves(address, _PATIENCE_S)

    def _departure(self, address: Address) -> asyncio.Event:
        if address in self._open:
            return self._gone.setdefault(address, asyncio.Event())
        gone = asyncio.Event()
        gone.set()
        return gone


def _reset(transport: asyncio.Transport) -> None:
    raw: socket.socket | None = transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
    transport.abort()


class _OneWrite:
    """A transport that sends everything written in one turn of the event loop with one call.

    uvicorn writes head and body separately: two system calls and two packets for each answer, a large part of its cost.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._parts: list[bytes] = []
        self._later = asyncio.get_running_loop().call_soon

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._later(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        self._parts.clear()
        self._transport.abort()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def _flush(self) -> None:
        if self._parts:
            self._transport.write(b"".join(self._parts))
            self._parts.clear()


def watched_protocol(wire: Wire) -> type[asyncio.Protocol]:
    """Return the protocol class for uvicorn's `http` setting."""

    class WatchedProtocol(H11Protocol):
        _address: Address | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            transport = cast("asyncio.Transport", _OneWrite(transport))
            super().connection_made(transport)
            peer: Any = transport.get_extra_info("peername")
            if peer:
                self._address = (peer[0], peer[1])
                wire.opened(self._address, transport)

        def data_received(self, data: bytes) -> None:
            # Set the date here: uvicorn sets it by a timer, two seconds late or more.
            date = formatdate(wire.now(), usegmt=True).encode()
            self.server_state.default_headers = [(b"date", date), *self.config.encoded_headers]
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._address is not None:
                wire.closed(self._address)
            super().connection_lost(exc)

    return cast("type[asyncio.Protocol]", WatchedProtocol)
