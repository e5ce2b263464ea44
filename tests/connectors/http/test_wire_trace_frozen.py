"""A worker is stopped between the head and the body of a request, and continues after its lease.

The worker is a separate process. In each turn of its event loop it waits for the server, so the server sees every write
separately and can stop the worker between any two.
"""

import asyncio
import contextlib
import os
import select
import signal
import socket
import time
from multiprocessing.connection import Connection

from connectors.http.errors import ConnectorError, TooLate
from connectors.http.steady import steady_s
from tests.connectors.http.sockets import session_to
from tests.faults.theatre import PROCESSES

_BODY = b'{"serie":"F","number":7}'
_LEASE_S = 0.5
_PATIENCE_S = 600.0


def test_a_body_is_not_written_after_the_deadline():
    ours, theirs = PROCESSES.Pipe()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = PROCESSES.Process(target=_work, args=(f"http://127.0.0.1:{listener.getsockname()[1]}", theirs))
        process.start()
        assert process.pid is not None
        theirs.close()
        try:
            received, ending = _serve(listener, ours, process.pid)
        finally:
            process.kill()
            process.join()
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /api/v1/nfse ")
    assert (body, ending) == (b"", "Doubtful")


def _serve(listener: socket.socket, worker: Connection, pid: int) -> tuple[bytes, str]:
    """Return the received bytes of the request, and the worker's result."""
    received, accepted = b"", None
    while True:
        assert worker.poll(_PATIENCE_S), "the worker says nothing"
        message = worker.recv()
        if isinstance(message, str):
            break
        if accepted is None and _can_read(listener):
            accepted = listener.accept()[0]
        if accepted is not None and _can_read(accepted):
            part = accepted.recv(65536)
            if part and not received:
                assert part.endswith(b"\r\n\r\n"), "head and body came in one write"
                _freeze_until(pid, message)
            received += part
            if not received:
                accepted = None  # It was too late to begin, and begins again.
            elif received.endswith(_BODY):
                accepted.sendall(b"HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        worker.send(None)
    assert accepted is not None
    with accepted:
        accepted.settimeout(_PATIENCE_S)
        while rest := accepted.recv(65536):
            received += rest
    return received, message


def _freeze_until(pid: int, deadline: float) -> None:
    os.kill(pid, signal.SIGSTOP)
    while steady_s() <= deadline:
        time.sleep(0.05)
    os.kill(pid, signal.SIGCONT)


def _can_read(waiting: socket.socket) -> bool:
    return bool(select.select([waiting], [], [], 0)[0])


def _work(base_url: str, server: Connection) -> None:
    """Post once within the deadline; report each turn of the event loop, then the end, to the server."""
    server.send(asyncio.run(_post(base_url, server)))


async def _post(base_url: str, server: Connection) -> str:
    deadline = 0.0

    async def take_turns() -> None:
        while True:
            server.send(deadline)
            server.recv()
            await asyncio.sleep(0)

    async with session_to(base_url) as session:
        turns = asyncio.create_task(take_turns())
        try:
            while True:
                deadline = steady_s() + _LEASE_S
                # On a busy machine it may be too late to begin: nothing was written, so it begins again.
                with contextlib.suppress(TooLate):
                    answer = await session.write(
                        "POST", "/api/v1/nfse", _BODY, expect=frozenset({201}), not_after=deadline
                    )
                    return str(answer.status)
        except ConnectorError as error:
            return type(error).__name__
        finally:
            turns.cancel()
