"""A process that writes the ledger for another, which is busy with something else.

A thread that writes beside a busy event loop waits for Python's lock at every statement, and the loop for the thread:
a fifth of the time in which notes could be posted. What is to be written goes through a pipe instead, one after the
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
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Concatenate, Final, ParamSpec, Self, TypeVar

import sqlalchemy as sa

from connectors.ledger.engine import Ledger, LedgerUnavailable
from domain.problems import Problem

P = ParamSpec("P")
T = TypeVar("T")

_HEAD: Final = 4
_Came = tuple[bool, Any]
"""Whether it was done, and what came of it: a result or an error."""


class Writer:
    """The process, seen from the one that started it, in one event loop; what `ledger.writing` is told goes to it."""

    def __init__(self, ledger: Ledger, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._ledger = ledger
        self._process = process
        self._asked, self._answers = process.stdin, process.stdout
        self._waiting: deque[asyncio.Future[_Came]] = deque()
        self._is_over = False
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, ledger: Ledger, url: str, *, lock_wait_s: float) -> Self:
        """Have `ledger` written by a process that opens the same one at `url`, from when it is ready until it ends.

        Raises `OSError`, and what `Ledger.open` raises; then nothing was changed.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Not what happens to lie in the present folder.
            *("-P", "-m", __name__),
            stdin=PIPE,
            stdout=PIPE,
            # It finds the modules that are in use here, and what ends the terminal's other processes does not end it.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
        )
        writer = cls(ledger, process)
        try:
            await writer._ask((url, lock_wait_s))
        except BaseException:
            process.kill()
            await writer.close()
            raise
        ledger.elsewhere = writer.write
        return writer

    async def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`Ledger.write` there. A cancelled wait does not cancel the transaction."""
        result: T = await self._ask((fn, args, kwargs))
        return result

    async def close(self) -> None:
        """Let it do what it was given, and end; the ledger is written here again."""
        self._leave()
        self._asked.close()
        await self._listening
        await self._process.wait()

    def _leave(self) -> None:
        if self._ledger.elsewhere == self.write:
            self._ledger.elsewhere = None

    async def _ask(self, question: Any) -> Any:
        framed = _framed(question)
        if self._is_over:
            raise _gone()
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self._asked.write(framed)
        is_done, came = await asyncio.shield(waiting)
        if not is_done:
            raise came
        return came

    async def _listen(self) -> None:
        # What is cut short was not said.
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                size = int.from_bytes(await self._answers.readexactly(_HEAD), "big")
                came = pickle.loads(await self._answers.readexactly(size))  # noqa: S301 - our own process said it
                self._waiting.popleft().set_result(came)
        self._is_over = True
        self._leave()
        while self._waiting:
            self._waiting.popleft().set_result((False, _gone()))


def main() -> None:
    """The process itself: it writes what comes on standard input, until that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever is printed must not be taken for an answer.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers, suppress(BrokenPipeError):
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        _serve(sys.stdin.buffer, answers)
    # All is committed and said: taking Python down in good order would only keep waiting who waits for the end.
    os._exit(0)


def _serve(asked: BinaryIO, answers: BinaryIO) -> None:
    place = _next(asked)
    if place is None:
        return
    try:
        ledger = Ledger.open(place[0], migrate=False, lock_wait_s=place[1])
    except Exception as error:  # noqa: BLE001 - raised where it was asked
        _tell(answers, (False, error))
        return
    gc.freeze()
    _tell(answers, (True, None))
    while (question := _next(asked)) is not None:
        _tell(answers, _done(ledger, *question))


def _done(ledger: Ledger, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Came:
    try:
        return True, ledger.write(fn, *args, **kwargs)
    except Exception as error:  # noqa: BLE001 - raised where it was asked
        return False, error


def _next(asked: BinaryIO) -> Any:
    """None at the end; what is cut short was not asked."""
    head = asked.read(_HEAD)
    size = int.from_bytes(head, "big")
    said = asked.read(size) if len(head) == _HEAD else b""
    return pickle.loads(said) if said and len(said) == size else None  # noqa: S301 - who started us said it


def _tell(answers: BinaryIO, came: _Came) -> None:
    answers.write(_framed(came))
    answers.flush()


def _framed(said: Any) -> bytes:
    packed = pickle.dumps(said, pickle.HIGHEST_PROTOCOL)
    return len(packed).to_bytes(_HEAD, "big") + packed


def _gone() -> LedgerUnavailable:
    return LedgerUnavailable(Problem("ledger.unavailable", params={"reason": "the writer's process ended"}))


if __name__ == "__main__":
    main()
