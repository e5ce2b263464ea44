"""Let a guarded process open a file, and receive its answer as data.

If the process exceeds its time or memory, or crashes, raise `InputError` (`file.too_hard`), because the same bytes
would do it again. If something outside ends the process, raise `GuardInterrupted`.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict
from typing import Any, Final

from connectors.spreadsheets.guard.bounds import Bounds
from domain.problems import FaturistaError, InputError, Problem

ANSWER_BYTES_AT_MOST: Final = 256_000_000
GRACE_S: Final = 30.0
"""The seconds that a caller waits beyond the process's own limit, because a busy machine ends the process late."""
_TRIES: Final = 2
_ENDED_BY_OTHERS: Final = frozenset({-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, -signal.SIGQUIT})
_PIECE: Final = 1 << 20
_ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH")
"""The only variables of our environment that a guarded process gets, because the others may hold secrets."""


class GuardInterrupted(FaturistaError):
    """Something other than the file ended the guarded process. Nothing is known about the file."""


class _Lost(Exception):
    """The server or the worker's keeper (see `server`) died without reporting how the worker ended."""


class _Server:
    """A child process (`guard.server`) that forks guarded processes, for this process only."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", "connectors.spreadsheets.guard.server", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # a terminal's signals must not end it: a reading continues until we stop
                start_new_session=True,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
                | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )

    def send(self, job: str, files: list[int]) -> None:
        try:
            socket.send_fds(self._line, [job.encode("ascii")], files)
        except OSError as error:
            raise _Lost from error

    def close(self) -> None:
        """End the server. A fork of its owner only closes its own socket."""
        if self.owner == os.getpid():
            with suppress(OSError):
                # end the connection for processes that inherited the socket, too
                self._line.shutdown(socket.SHUT_RDWR)
            self._process.wait()
        self._line.close()


_lock: Final = threading.Lock()
_servers: Final[list[_Server]] = []


def run_guarded(job: str, content: bytes | int, arguments: Any, *, bounds: Bounds, spool: int | None = None) -> Any:
    """Run `module:function` on the content in a guarded process and return its answer.

    Args:
        job: A function as `server.Job` describes it.
        content: The bytes, or the descriptor of an open file with them.
        arguments: A JSON value.
        bounds: The limits of the process.
        spool: The descriptor of an empty file for large results.

    Raises:
        InputError: The job refused the content, or the content ended its process (`file.too_hard`).
        GuardInterrupted: Something else ended the process, or the disk is full.
    """
    for _ in range(_TRIES):
        server = _server()
        try:
            result, status = _asked(server, job, content, arguments, bounds=bounds, spool=spool)
        except _Lost:
            _forget(server)
            continue
        return _judged(result, status)
    raise _too_hard()


def start_early(job: str) -> None:
    """Start the process that forks guarded processes, and let it import the job while the caller does other things."""
    with suppress(_Lost):
        # the next request starts another server
        _server().send(job, [])


def _server() -> _Server:
    with _lock:
        # A fork uses its parent's server, with a pipe for each request, and starts its own if that is gone.
        if not _servers:
            _servers.append(_Server())
        return _servers[0]


def _forget(server: _Server) -> None:
    with _lock:
        if server in _servers:
            _servers.remove(server)
            server.close()


@atexit.register
def _close_all() -> None:
    while _servers:
        _servers.pop().close()


def _asked(
    server: _Server, job: str, content: bytes | int, arguments: Any, *, bounds: Bounds, spool: int | None
) -> tuple[bytes, int]:
    """Return the worker's output, and its exit code from the keeper's report. Raises `_Lost` without a report."""
    with ExitStack() as stack:
        question = _in_memory(json.dumps({"bounds": asdict(bounds), "arguments": arguments}).encode(), stack)
        data = _in_memory(content, stack) if isinstance(content, bytes) else content
        result = _in_memory(b"", stack) if spool is None else spool
        reading, writing = os.pipe()
        stack.callback(os.close, reading)
        try:
            server.send(job, [question, data, result, writing])
        finally:
            os.close(writing)
        answer = _read_all(reading, until=time.monotonic() + bounds.wall_s + GRACE_S)
    done, end, status = answer.rpartition(b"\n")
    if not end or not status:
        raise _Lost
    return done, int(status)


def _read_all(descriptor: int, *, until: float) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    found = bytearray()
    while poll.poll(max(0.0, until - time.monotonic()) * 1_000):
        piece = os.read(descriptor, _PIECE)
        if not piece:
            return bytes(found)
        found += piece
        if len(found) > ANSWER_BYTES_AT_MOST:
            break
    raise _too_hard()


def _judged(result: bytes, status: int) -> Any:
    if status in _ENDED_BY_OTHERS:
        raise GuardInterrupted(Problem("file.reading_interrupted"))
    try:
        return _understood(json.loads(result) if status == 0 else {"failed": f"exit code {status}"})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        # not a valid answer
        raise _too_hard() from error


def _understood(answer: dict[str, Any]) -> Any:
    if "refused" in answer:
        details = [Problem.from_json(each) for each in answer["details"]]
        raise InputError(Problem.from_json(answer["refused"]), *details)
    if "interrupted" in answer:
        raise GuardInterrupted(Problem("file.reading_interrupted"))
    if "failed" in answer:
        error = _too_hard()
        error.add_note(str(answer["failed"]))
        raise error
    return answer["done"]


def _too_hard() -> InputError:
    return InputError(Problem("file.too_hard"))


def _in_memory(content: bytes, stack: ExitStack) -> int:
    descriptor = os.memfd_create("guarded")
    stack.callback(os.close, descriptor)
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    return descriptor


def open_spool() -> int:
    """Return the descriptor of a nameless file for large results."""
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
