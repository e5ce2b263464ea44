"""P12: how fast the sandbox creates notes, beside a bare Starlette application that returns each JSON body."""

import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.load import workload
from tests.load.table import Row
from tests.sandboxes import running_sandbox

COUNT: Final = 2_000
ROUNDS: Final = 5
CONNECTIONS: Final = 8
TARGET: Final = 0.35
FEW, MANY = 20_000, 40_000
MEMORY_TARGET: Final = 1.1
PATH: Final = "/api/v1/nfse"
_ROOT: Final = Path(__file__).parents[2]
_TAKERS: Final = 200
_FIRST_TAKER: Final = 100
_PATIENCE_S: Final = 300.0
_HEAD: Final = (
    "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic c2FuZGJveC10b2tlbjp4\r\n"
    "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
)


def rows() -> Iterable[Row]:
    spent = [measured(COUNT) for _ in range(ROUNDS)]
    yield judged(COUNT, statistics.median(echo / notes for echo, notes in spent), min(notes for _, notes in spent))
    yield judged_memory(FEW, MANY, remembered(FEW, MANY))


def remembered(few: int, many: int) -> tuple[float, float]:
    """Return the megabytes of a sandbox with its state in a file after `few` notes and after `many`."""
    taken = []
    with TemporaryDirectory() as folder, running_sandbox(state=Path(folder, "sandbox.db")) as sandbox:
        prepare(sandbox)
        process = sandbox.process
        assert process is not None
        for start, end in ((0, few), (few, many)):
            asyncio.run(posted(int(sandbox.base_url.rpartition(":")[2]), bodies(end - start, start=start)))
            status = Path("/proc", str(process.pid), "status").read_text()
            taken.append(int(status.partition("VmRSS:")[2].split()[0]) / 1_024)
    return taken[0], taken[1]


def judged_memory(few: int, many: int, taken: tuple[float, float]) -> Row:
    return Row(
        "P12",
        f"memory of the sandbox, {few} → {many} notes",
        taken[1] / taken[0],
        MEMORY_TARGET,
        against=f"itself at {few} notes",
        is_ceiling=True,
        remarks=(f"{taken[0]:.0f} MB, then {taken[1]:.0f} MB: the page cache is full at the first figure",),
    )


def judged(count: int, ratio: float, seconds: float) -> Row:
    return Row(
        "P12",
        f"create {count} notes in the sandbox, {CONNECTIONS} connections",
        ratio,
        TARGET,
        against="bare Starlette echo",
        remarks=(f"{count / seconds:.0f} notes a second at best, each checked, computed, stored and recorded",),
    )


def measured(count: int) -> tuple[float, float]:
    """Return the seconds of `count` requests: to the echo, then to a new sandbox with its state in a file."""
    with running_echo() as port:
        echo_s = asyncio.run(posted(port, bodies(count)))
    with TemporaryDirectory() as folder, running_sandbox(state=Path(folder, "sandbox.db")) as sandbox:
        prepare(sandbox)
        notes_s = asyncio.run(posted(int(sandbox.base_url.rpartition(":")[2]), bodies(count)))
    return echo_s, notes_s


def prepare(sandbox: Any) -> None:
    """Create takers, and a batch for all notes."""
    company = sandbox.control("seed")
    documents = (workload.document(number).number for number in range(_TAKERS))
    company["takers"] = [{"cnpj": each, "social_reason": f"T{number}"} for number, each in enumerate(documents)]
    sandbox.control("seed", company)
    assert sandbox.call("POST", "/api/v1/batches", {"emitter_id": 1, "name": "P12"})[1]["id"] == 1


def bodies(count: int, *, start: int = 0) -> list[bytes]:
    """Return the requests that staging makes, with the sandbox's ids."""
    made = (json.loads(body) for body in workload.bodies(count))
    return [
        json.dumps(
            {
                **body,
                "emitter_id": 1,
                "taker_id": body["taker_id"] - _FIRST_TAKER + 1,
                "number": body["number"] + start,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        ).encode()
        for body in made
    ]


async def posted(port: int, requests: Sequence[bytes]) -> float:
    """Return the seconds until each request had a successful answer, with the cheapest possible client."""
    waiting = iter([_HEAD.format(path=PATH, length=len(body)).encode() + body for body in requests])
    loop = asyncio.get_running_loop()
    clients = [
        (await loop.create_connection(lambda: _Client(waiting), "127.0.0.1", port))[1] for _ in range(CONNECTIONS)
    ]
    began = time.perf_counter()
    for client in clients:
        client.go_on()
    async with asyncio.timeout(_PATIENCE_S):
        await asyncio.gather(*(client.done for client in clients))
    seconds = time.perf_counter() - began
    assert sum(client.succeeded for client in clients) == len(requests)
    for client in clients:
        client.close()
    return seconds


class _Client(asyncio.Protocol):
    """One connection: it sends the next request after the answer to the last one."""

    def __init__(self, waiting: Iterator[bytes]) -> None:
        self._waiting, self._received, self._transport = waiting, b"", asyncio.Transport()
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.succeeded = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the server closed"))

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, blank, body = self._received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n", 1)[0] or 0) if blank else 0
        if blank and len(body) >= length:
            self.succeeded += self._received.startswith(b"HTTP/1.1 20")
            self._received = b""
            self.go_on()

    def go_on(self) -> None:
        request = next(self._waiting, None)
        if request is not None:
            self._transport.write(request)
        elif not self.done.done():
            self.done.set_result(None)

    def close(self) -> None:
        self._transport.close()


@contextmanager
def running_echo() -> Iterator[int]:
    """Run the bare application in a separate process. Yield its port."""
    command = [sys.executable, "-m", "tests.load.creation"]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


async def _echo(request: Request) -> JSONResponse:
    return JSONResponse(await request.json(), status_code=201)


def _serve() -> None:
    # With the same HTTP implementation and the same settings as the sandbox.
    app = Starlette(routes=[Route(PATH, _echo, methods=["POST"])])
    config = uvicorn.Config(app, http="h11", ws="none", lifespan="off", access_log=False, log_level="warning")
    # Name its protocol, or asyncio leaves Nagle's delay on and the echo looks slow.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(CONNECTIONS)
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    _serve()
