"""Servers that misbehave on purpose, on real loopback sockets, and record every complete request."""

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from connectors.http.auth import BasicToken
from connectors.http.retry import Patience
from connectors.http.session import HttpSession

TOKEN = "t0ken-of-nobody"
EAGER = Patience(first_wait_s=0.0)
"""Retry settings with the usual number of attempts, without waits."""


class NoNamesLoop(asyncio.SelectorEventLoop):
    """An event loop that resolves no host name, so that a test asks no outside resolver."""

    async def getaddrinfo(self, host, port, **_):
        if host == "127.0.0.1":
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port))]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@dataclass
class Connection:
    """One accepted connection; `requests` are the complete requests read from it, heads and bodies."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    requests: list[bytes] = field(default_factory=list)

    async def request(self) -> bytes:
        """Read one whole request. Raises `IncompleteReadError` when the client leaves first."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        whole = head + await self.reader.readexactly(length)
        self.requests.append(whole)
        return whole

    async def send(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()

    async def answer(self, status: int, body: bytes = b"{}", *headers: str) -> None:
        """Send a well-formed answer and keep the connection open."""
        await self.send(http(status, body, *headers))

    def finish(self) -> None:
        self.writer.close()

    def reset(self) -> None:
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def hang(self) -> None:
        """Send nothing until the client leaves."""
        await self.reader.read()


@dataclass
class Server:
    """The server's address, and what it saw."""

    base_url: str = ""
    connections: list[Connection] = field(default_factory=list)

    @property
    def requests(self) -> list[bytes]:
        return [request for connection in self.connections for request in connection.requests]


Behaviour = Callable[[Connection], Awaitable[None]]


def http(status: int, body: bytes = b"{}", *headers: str) -> bytes:
    """Return a well-formed answer, JSON unless a header names another content type."""
    if not any(header.lower().startswith("content-type:") for header in headers):
        headers = ("Content-Type: application/json", *headers)
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@contextlib.asynccontextmanager
async def serving(behave: Behaviour, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Yield a server that handles each connection by `behave` and then closes it."""
    server = Server()
    running: set[asyncio.Task[None] | None] = set()

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.add(asyncio.current_task())
        connection = Connection(reader, writer)
        server.connections.append(connection)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                await behave(connection)
        finally:
            writer.close()

    listener = await asyncio.start_server(accepted, "127.0.0.1", 0, ssl=tls)
    scheme = "https" if tls else "http"
    server.base_url = f"{scheme}://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
        for task in running:
            if task:
                task.cancel()
        await asyncio.gather(*filter(None, running), return_exceptions=True)


async def answering(connection: Connection) -> None:
    """Answer every request with 200 and an empty object."""
    while True:
        await connection.request()
        await connection.answer(200)


def session_to(base_url: str, **settings) -> HttpSession:
    """Return a session with short timeouts; a test that waits for a timeout sets its own."""
    settings = {"in_flight": 2, "request_timeout_s": 20.0, "patience": EAGER, **settings}
    return HttpSession(base_url, BasicToken(TOKEN), **settings)


def tls_without_certificates(*, is_server: bool) -> ssl.SSLContext:
    """Return real TLS between two parties without certificates: the tree needs no secret."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ADH:AECDH:@SECLEVEL=0")
    if not is_server:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
