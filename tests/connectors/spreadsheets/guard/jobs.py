"""Things that files may do to the process that opens them."""

import ctypes
import os
import signal
import time
from pathlib import Path
from typing import Any, BinaryIO

from domain.problems import InputError, Problem, Where


def echo(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    spool.write(content)
    return {"length": len(content), "arguments": arguments}


def refuse(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    raise InputError(Problem("file.damaged", None, Where(sheet="S", row=3)), Problem("file.empty"))


def spin(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    while True:
        pass


def sleep(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    if arguments:
        Path(arguments).write_text(str(os.getpid()), encoding="ascii")
    # The signal that ends the sleep does not reach Python.
    while True:
        time.sleep(1_000)


def swell(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    held = []
    while True:
        held.append(bytes(50_000_000))


def write(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    while True:
        spool.write(bytes(1_000_000))


def crash(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    ctypes.string_at(0)


def abort(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    os.abort()


def leave(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    os._exit(0)


def fail(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    raise RuntimeError("never thought of")


def recurse(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    return recurse(content, arguments, spool)


def end_keeper(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    os.kill(os.getppid(), signal.SIGKILL)
    return {"done": True}


def be_ended(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    os.kill(os.getpid(), signal.SIGTERM)


def fill_disk(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    with Path("/dev/full").open("wb") as file:
        file.write(b"x")


def look_around(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    opened = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return {"environment": sorted(os.environ), "opened": opened}


def speak_nonsense(content: bytes, arguments: Any, spool: BinaryIO) -> Any:
    (answer,) = [int(each.name) for each in Path("/proc/self/fd").iterdir() if _is_pipe(each)]
    os.write(answer, arguments.encode())
    os._exit(0)


def _is_pipe(path: Path) -> bool:
    return path.is_symlink() and str(path.readlink()).startswith("pipe:")
