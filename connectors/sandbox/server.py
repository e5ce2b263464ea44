"""The sandbox on a real socket."""

import contextlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn

from connectors.emulation.messages import Json
from connectors.emulation.sockets import Wire, watched_protocol
from connectors.emulation.state_file import Store
from connectors.sandbox.application import assemble
from connectors.sandbox.status_texts import LANGUAGES

_BACKLOG: Final = 2048
_KEEP_ALIVE_S: Final = 75


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8787,
    state: Path | None = None,
    port_file: Path | None = None,
    switches: Json | None = None,
    language: str = LANGUAGES[0],
    on_ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Port 0 takes a free port; once the socket listens, `port_file` gets its number.

    `on_ready` gets it, too; `language` is the status page's default. Raises `OSError` for a port in use,
    `sqlite3.OperationalError` for a state file that another sandbox uses.
    """
    server = prepare(host=host, port=port, state=state, switches=switches, language=language)
    if port_file is not None:
        written = port_file.with_suffix(f".{os.getpid()}")
        written.write_text(f"{server.port}\n", encoding="ascii")
        written.replace(port_file)
    if on_ready is not None:
        on_ready(server.port)
    server.run()


class SandboxServer:
    """A sandbox whose socket listens already: connections wait, and `run` answers them."""

    def __init__(self, server: uvicorn.Server, listening: socket.socket, store: Store) -> None:
        self._server, self._listening, self._store = server, listening, store
        self.port: int = listening.getsockname()[1]

    def run(self) -> None:
        """Answer until `stop`, or until SIGINT or SIGTERM in the main thread; then release the state file."""
        try:
            self._server.run(sockets=[self._listening])
        finally:
            self._listening.close()
            self._store.close()

    def stop(self) -> None:
        """Stop a server that runs in another thread."""
        self._server.should_exit = True


def prepare(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    state: Path | None = None,
    switches: Json | None = None,
    language: str = LANGUAGES[0],
) -> SandboxServer:
    """Return a listening server; call its `run`. Raises like `serve`."""
    wire = Wire()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.ExitStack() as undoing:
        # asyncio turns off Nagle's delay (40 ms an answer) only if the protocol is named
        listening = undoing.enter_context(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
        app, control = assemble(state, wire=wire, language=language)
        control.switch(switches or {})
        undoing.pop_all()
    config = uvicorn.Config(
        app,
        http=watched_protocol(wire),
        ws="none",
        lifespan="off",
        access_log=False,
        proxy_headers=False,
        log_level="warning",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
    )
    return SandboxServer(uvicorn.Server(config), listening, control.store)
