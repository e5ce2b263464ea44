"""A provider that only answers, after a fixed time: the rest of a measured time is our own cost.

It speaks just enough HTTP/1.1 for the calls of staging, stores a counter per batch and no note. The first part of the
path is the latency in milliseconds (`/50/api/v1/nfse`), so that one process serves every setting.
"""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from stdnum.br import cnpj

_ROOT: Final = Path(__file__).parents[2]
_REASONS: Final = {200: b"200 OK", 201: b"201 Created", 404: b"404 Not Found"}
_COUNTERS: Final = ("scheduled", "processing", "accepted", "rejected", "cancelled", "cancelling")
# The fields of an answer besides the posted ones, in the usual number.
_BESIDES: Final[dict[str, Any]] = {
    "status": "created",
    "description": "A nota foi criada.",
    "is_complete": True,
    "is_api": True,
    "errors": [],
    "nfse_errors": [],
    "environment": "sandbox",
    "emitter_city_code": 3304557,
    "taker": {
        "contact": {"email": "fiscal@estrela.example", "phone": "2122223333", "ddd": "21", "fax_phone": None},
        "address": {"street": "Rua das Marés", "number": "100", "zip_code": "20000000", "city": "Rio de Janeiro"},
    },
    "_links": [{"rel": rel, "method": "GET", "href": f"http://127.0.0.1/api/v1/nfse/1/{rel}"} for rel in "abcdef"],
    **dict.fromkeys(
        ("nfse_key", "nfse_number", "mirror_url", "xml_url", "pdf_url", "event_code", "work_code", "intermediary",
         "cancel_reason", "verification_code", "issued_at", "cancelled_at", "replaced_by", "cei", "art_code")
    ),
}  # fmt: skip
FIRST_TAKER: Final = 100
"""The id of the first taker; those of the workload have ids in sequence."""


def taker_cnpj(number: int) -> str:
    """Return the CNPJ of a taker of the workload, from 0."""
    root = f"99{number:06d}0001"
    return root + cnpj.calc_check_digits(root)


@cache
def _tail(taker_id: int) -> bytes:
    """Return what follows the posted fields in the answer about a note of this taker."""
    number = taker_id - FIRST_TAKER
    taker = {"id": taker_id, "cnpj": taker_cnpj(number), "name": f"T{number}", **_BESIDES["taker"]}
    return json.dumps({**_BESIDES, "taker": taker}, ensure_ascii=False, separators=(",", ":")).encode()[1:]


class Responder:
    """Gives every answer as (status, body); ids are in sequence."""

    def __init__(self) -> None:
        self._next_id = 0
        self._notes: Counter[int] = Counter()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        if path == "/api/v1/nfse" and method == "POST":
            self._next_id += 1
            self._notes[_number_after(b'"batch_id":', body)] += 1
            return 201, b'%b,"id":%d,%b' % (body[:-1], self._next_id, _tail(_number_after(b'"taker_id":', body)))
        if path == "/api/v1/batches" and method == "POST":
            self._next_id += 1
            return 201, self._batch(self._next_id, **json.loads(body))
        if path.startswith("/api/v1/batches/") and method == "GET":
            return 200, self._batch(int(path.rpartition("/")[2]))
        if path == "/api/v1" and method == "GET":
            return 200, json.dumps({"uuid": "responder", "name": "Responder"}).encode()
        return 404, b'{"detail":"Not found"}'

    def _batch(self, batch_id: int, *, emitter_id: int = 1, name: str = "") -> bytes:
        count = self._notes[batch_id]
        properties = {"created": count, **dict.fromkeys(_COUNTERS, 0), "total": count}
        shown = {"id": batch_id, "emitter_id": emitter_id, "name": name, "status": "created", "properties": properties}
        return json.dumps(shown).encode()


class Connection(asyncio.Protocol):
    """One connection: requests come one at a time, each whole or in parts."""

    def __init__(self, responder: Responder) -> None:
        self._responder = responder
        self._received = b""
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = _number_after(b"\r\ncontent-length: ", head.lower())
        if len(rest) < length:
            return
        self._received = rest[length:]
        method, target, _ = head.decode("latin-1").split(" ", 2)
        _, latency_ms, path = target.split("/", 2)
        status, body = self._responder.answer(method, f"/{path}", rest[:length])
        answer = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        self._later(int(latency_ms) / 1_000, answer % (_REASONS[status], len(body), body))

    def _later(self, latency_s: float, answer: bytes) -> None:
        if latency_s:
            asyncio.get_running_loop().call_later(latency_s, self._transport.write, answer)
        else:
            self._transport.write(answer)


def _number_after(name: bytes, data: bytes) -> int:
    """Return the integer after `name`; 0 if there is none."""
    start = data.find(name) + len(name)
    end = start
    while data[end : end + 1].isdigit():
        end += 1
    return int(data[start:end]) if start >= len(name) and end > start else 0


@contextmanager
def running_responder() -> Iterator[str]:
    """Run a responder in a separate process. Yield its address, to which `/<milliseconds>` is added."""
    command = [sys.executable, "-m", "tests.load.responder"]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


async def _serve() -> None:
    responder = Responder()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(responder), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
