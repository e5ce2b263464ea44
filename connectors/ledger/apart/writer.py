"""A process that writes the ledger for another, which is busy with something else.

A thread that writes beside a busy event loop waits for Python's lock at every statement, and the loop for the thread:
a fifth of the time in which notes could be posted. What is to be written goes through a socket instead, one after the
other: a function of this package and what it is told. It runs as `Ledger.write` does, and what it gives or raises comes
back.

To whoever waits, the end of the process is the end of a database: nothing is known to be committed. The process ends
with the one that started it: no more is given to it, it does what it was given already, and then there is nobody.
"""

import asyncio
import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Concatenate, Final, ParamSpec, Self, TypeVar, cast

import sqlalchemy as sa

from connectors.ledger.engine import Ledger, LedgerUnavailable
from domain.problems import FaturistaError, Problem

P = ParamSpec("P")
T = TypeVar("T")

_HEAD: Final = 4


class Writer(asyncio.Protocol):
    """The process, seen from the one that started it, in one event loop; what `ledger.writing` is told goes to it.

    No task listens to it: whichever are cancelled, what it says is heard.
    """

    def __init__(self, ledger: Ledger, process: "subprocess.Popen[bytes]") -> None:
        self._ledger = ledger
        self._process = process
        self._line: asyncio.WriteTransport | None = None
        self._heard = bytearray()
        self._waiting: deque[asyncio.Future[bytes | None]] = deque()
        self._ended = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls, ledger: Ledger, url: str, *, lock_wait_s: float) -> Self:
        """Have `ledger` written by a process that opens the same one at `url`, from when it is ready until it ends.

        Raises `OSError`, and what `Ledger.open` raises; then nothing was changed.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                writer = cls(ledger, _started(theirs))
            except BaseException:
                ours.close()
                raise
        try:
            await asyncio.get_running_loop().create_connection(lambda: writer, sock=ours)
            await writer._ask((url, lock_wait_s))
        except BaseException:
            writer._process.kill()
            await writer.close()
            raise
        # It may have ended since.
        if writer._line is not None:
            ledger.elsewhere = writer.write
        return writer

    async def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`Ledger.write` there. A cancelled wait does not cancel the transaction.

        Raises whatever `pickle` does for what cannot be said; then, too, nothing was changed.
        """
        result: T = await self._ask((fn, args, kwargs))
        return result

    async def close(self) -> None:
        """Let it do what it was given, and end; the ledger is written here again."""
        self._leave()
        line, self._line = self._line, None
        if line is not None:
            # It may be gone, which some systems tell here.
            with suppress(OSError):
                line.write_eof()
        await asyncio.shield(self._ended)
        await asyncio.to_thread(self._process.wait)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """From here on it can be asked."""
        self._line = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Some of an answer, or of several."""
        self._heard += data
        while len(self._heard) >= (end := _HEAD + int.from_bytes(self._heard[:_HEAD], "big")):
            self._waiting.popleft().set_result(bytes(self._heard[_HEAD:end]))
            del self._heard[:end]

    def connection_lost(self, _error: Exception | None) -> None:
        """It ended. What is cut short was not said."""
        self._line = None
        self._leave()
        while self._waiting:
            self._waiting.popleft().set_result(None)
        self._ended.set_result(None)

    def _leave(self) -> None:
        if self._ledger.elsewhere == self.write:
            self._ledger.elsewhere = None

    async def _ask(self, question: Any) -> Any:
        framed = _framed(question)
        if self._line is None:
            raise _gone()
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self._line.write(framed)
        said = await asyncio.shield(waiting)
        if said is None:
            raise _gone()
        came, error, story = _unpacked(said)
        if error is None:
            return came
        if not isinstance(error, FaturistaError):
            error.add_note(story)
        raise error


def _started(line: socket.socket) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own module, no word of it from outside
        # Not what happens to lie in the present folder.
        [sys.executable, "-P", "-m", __name__],
        stdin=line.fileno(),
        # What is printed here is somebody's answer, perhaps a program's.
        stdout=subprocess.DEVNULL,
        # It finds the modules that are in use here, and what ends the terminal's other processes does not end it.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )


def main() -> None:
    """The process itself: it writes what comes on standard input, a socket, and answers there, until that ends."""
    # Who stops a service may tell all its processes: this one ends with the other, whose last words it writes.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    with suppress(ConnectionError):
        _serve(socket.socket(fileno=sys.stdin.fileno()))
    # All is committed and said: taking Python down in good order would only keep waiting who waits for the end.
    os._exit(0)


def _serve(line: socket.socket) -> None:
    asked = line.makefile("rb")
    place = _next(asked)
    if place is None:
        return
    try:
        url, lock_wait_s = _unpacked(place)
        ledger = Ledger.open(url, migrate=False, lock_wait_s=lock_wait_s)
    except Exception as error:  # noqa: BLE001 - raised where it was asked
        line.sendall(_failed(error))
        return
    gc.freeze()
    line.sendall(_framed((None, None, "")))
    while (question := _next(asked)) is not None:
        answer = _done(ledger, question)
        # Nobody may be there any more: what was given before is done all the same.
        with suppress(ConnectionError):
            line.sendall(answer)


def _done(ledger: Ledger, question: bytes) -> bytes:
    try:
        fn, args, kwargs = _unpacked(question)
        return ledger.write(_answered, fn, args, kwargs)
    except Exception as error:  # noqa: BLE001 - raised where it was asked
        return _failed(error)


def _answered(conn: sa.Connection, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bytes:
    # Packed before it is committed: what cannot be said is undone.
    return _framed((fn(conn, *args, **kwargs), None, ""))


def _failed(error: Exception) -> bytes:
    """The error itself where that can be said, else how it reads; and where it was raised."""
    story = "".join(traceback.format_exception(error))
    try:
        framed = _framed((None, error, story))
        # Many a class can be packed, and not made again.
        _unpacked(framed[_HEAD:])
    except Exception:  # noqa: BLE001 - whatever its class does
        return _framed((None, RuntimeError(f"{type(error).__qualname__}: {error}"), story))
    return framed


def _next(asked: BinaryIO) -> bytes | None:
    """None at the end; what is cut short was not asked."""
    head = asked.read(_HEAD)
    size = int.from_bytes(head, "big")
    said = asked.read(size) if len(head) == _HEAD else b""
    return said if said and len(said) == size else None


def _framed(said: Any) -> bytes:
    packed = pickle.dumps(said, pickle.HIGHEST_PROTOCOL)
    return len(packed).to_bytes(_HEAD, "big") + packed


def _unpacked(said: bytes) -> Any:
    return pickle.loads(said)  # noqa: S301 - one of these two processes said it to the other


def _gone() -> LedgerUnavailable:
    return LedgerUnavailable(Problem("ledger.unavailable", params={"reason": "the writer's process ended"}))


if __name__ == "__main__":
    main()
