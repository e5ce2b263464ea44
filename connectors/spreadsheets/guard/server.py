"""Fork a limited process for each file that one of our processes must open.

Each process that reads files starts `python -m connectors.spreadsheets.guard.server FD` once, with a socket as FD; the
server ends with that process. A new Python for each file would cost a tenth of a second and more. A fork of this server
costs some milliseconds, and it has no secret, no connection and no thread.

Each message on the socket carries four open files: the request (JSON from `client`), the content, the spool for large
results and the pipe for the answer. A keeper process waits for the worker and reports how it ended, whatever the worker
wrote. A message without files only makes the server import the job, so that the first file need not wait for that.
"""

import errno
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO, Final, NoReturn

from connectors.spreadsheets.guard.bounds import Bounds
from domain.problems import InputError

MESSAGE_BYTES: Final = 200
FILES: Final = 4
"""The number of files in a message: the request, the content, the spool, the answer."""
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})

Job = Callable[[bytes, Any, BinaryIO], Any]
"""Gets the content, the arguments and the spool; returns a JSON value."""


def main() -> None:
    """Serve until the other end of the socket closes."""
    # nobody calls `wait` for the keepers: let the kernel remove them when they end
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    connection = socket.socket(fileno=int(sys.argv[1]))
    while True:
        message, files, _, _ = socket.recv_fds(connection, MESSAGE_BYTES, FILES)
        if not message:
            return
        job = _job(message.decode("ascii"))
        if not files:
            continue
        if os.fork() == 0:
            connection.close()
            _keep(job, files)
        for each in files:
            os.close(each)


def _job(name: str) -> Job:
    """Return the function `module:name`; import it before the fork, for the benefit of later workers."""
    module, _, function = name.partition(":")
    is_new = module not in sys.modules
    job: Job = getattr(importlib.import_module(module), function)
    if is_new:
        # a garbage collection would copy every page that is shared with the forks
        gc.freeze()
    return job


def _keep(job: Job, files: list[int]) -> NoReturn:
    """Start the worker, end it if the client closes the pipe for the answer, and report how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    question, content, spool, answer = files
    worker = os.fork()
    if worker == 0:
        _work(job, question=question, content=content, spool=spool, answer=answer)
    ended = os.pidfd_open(worker)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(answer, select.POLLERR)
    if any(descriptor == answer for descriptor, _ in waiting.poll()):
        os.kill(worker, signal.SIGKILL)
    _, status = os.waitpid(worker, 0)
    _write(answer, f"\n{os.waitstatus_to_exitcode(status)}".encode("ascii"))
    os._exit(0)


def _work(job: Job, *, question: int, content: int, spool: int, answer: int) -> NoReturn:
    """Do the job within its bounds and write its result."""
    try:
        asked = json.loads(_whole(question))
        data = _whole(content)
        Bounds(**asked["bounds"]).apply()
        with os.fdopen(spool, "wb", closefd=False) as file:
            result = {"done": job(data, asked["arguments"], file)}
        _write(answer, json.dumps(result).encode("ascii"))
    except BaseException as error:  # noqa: BLE001 - the answer carries every error
        with_room = json.dumps(_failure(error)).encode("ascii")
        _write(answer, with_room)
    os._exit(0)


def _failure(error: BaseException) -> dict[str, Any]:
    if isinstance(error, InputError):
        return {"refused": error.problem.to_json(), "details": [each.to_json() for each in error.details]}
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return {"interrupted": str(error)}
    return {"failed": "".join(traceback.format_exception(error))}


def _whole(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    found = bytearray()
    while len(found) < size and (piece := os.pread(descriptor, size - len(found), len(found))):
        if len(piece) == size:
            return piece
        found += piece
    return bytes(found)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except BrokenPipeError:
        # nobody waits any more
        pass


if __name__ == "__main__":
    main()
