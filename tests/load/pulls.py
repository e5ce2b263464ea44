"""P9: how much of a bare pager's speed is left when every paid invoice is parsed, mirrored and counted.

The responder holds one plan's paid invoices, answers each page after a fixed time, and links its pages in a `Link`
header as the order service does.
"""

import asyncio
import gc
import json
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from connectors.ledger.engine import Ledger
from domain.station_result import Ending
from tasks.orders.sync import mirror_paid_invoices
from tasks.runtime.order_opening import open_orders
from tests.ledgers import sqlite_url
from tests.load.table import Row

_ROOT: Final = Path(__file__).parents[2]
SINCE: Final = datetime(2020, 1, 1, 3, tzinfo=UTC)
PAGE: Final = 100
LATENCY_MS: Final = 50
IN_FLIGHT: Final = 8
TARGET: Final = 0.80


@cache
def page_body(number: int, count: int) -> bytes:
    """Return one page of a list of `count` invoices."""
    first = (number - 1) * PAGE + 1
    return json.dumps([_invoice(each) for each in range(first, min(first + PAGE, count + 1))]).encode()


def _invoice(number: int) -> dict[str, Any]:
    paid = datetime(2020, 1, 1, 12, tzinfo=UTC) + timedelta(minutes=7 * number)
    address = f"http://127.0.0.1/api/orders/essencial/{number % 900 + 1}/"
    return {
        "redeemed_adjustments": [{"amount": "10.00", "description": "Usuário adicional"}] if number % 10 == 0 else [],
        "order_url": address,
        "url": f"{address}invoices/{number}/",
        "created_at": "2020-01-01 09:00:00",
        "activated_at": f"{paid:%Y-%m-%d %H:%M:%S}",
        "paid_at": f"{paid:%Y-%m-%d %H:%M:%S}",
        "number": number,
        "user_data": {
            "client_name": f"Padaria Estrela do Mar {number % 900} Ltda",
            "client_email": "financeiro@estrela.example",
            "document_number": f"99{number % 900:06d}000100",
            "address": "Rua das Marés",
            "address_number": "100",
            "address_complement": None,
            "address_quarter": "Centro",
            "address_city": "Rio de Janeiro",
            "address_state": "RJ",
            "zip_code": "20010000",
        },
        "amount": "89.90",
        "amount_with_adjustments": "99.90" if number % 10 == 0 else "89.90",
        "payment_method": "boleto",
        "plan_data": {"slug": "essencial", "name": "Essencial", "description": "Para quem está começando"},
        "charge_date": "2020-01-05",
        "next_payment_date": "2020-02-05",
    }


async def pull_bare(base_url: str) -> int:
    """Fetch them all at the least cost: the first page names the last, workers share the rest, nothing is stored."""
    url = f"{base_url}/api/essencial/invoices/paid/?limit={PAGE}"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    lanes = [httpx.AsyncHTTPTransport(verify=context) for _ in range(IN_FLIGHT)]

    async def fetch(lane: httpx.AsyncHTTPTransport, number: int) -> tuple[int, str]:
        answer = await lane.handle_async_request(httpx.Request("GET", f"{url}&page={number}"))
        items = json.loads(await answer.aread())
        return len(items), answer.headers["link"]

    async def work(lane: httpx.AsyncHTTPTransport, numbers: Iterator[int]) -> int:
        return sum([(await fetch(lane, number))[0] for number in numbers])

    try:
        count, link = await fetch(lanes[0], 1)
        last = int(link.rsplit("page=", 1)[1].split(">")[0])
        waiting = iter(range(2, last + 1))
        return count + sum(await asyncio.gather(*(work(lane, waiting) for lane in lanes)))
    finally:
        for lane in lanes:
            await lane.aclose()


async def pull_mirrored(base_url: str, folder: Path) -> int:
    """Run the station itself, into an empty ledger on SQLite."""
    places = {"LEDGER__URL": sqlite_url(folder), "ORDERS__BASE_URL": base_url}
    sizes = {"ORDERS__PAGE_SIZE": str(PAGE), "ORDERS__IN_FLIGHT": str(IN_FLIGHT)}
    with pytest.MonkeyPatch.context() as environment:
        for setting, value in {**places, **sizes}.items():
            environment.setenv(f"FATURISTA_{setting}", value)
        async with open_orders("local") as runtime:
            result = await mirror_paid_invoices(runtime, "essencial", since=SINCE)
    assert result.ending is Ending.DONE
    return result.counts["new"]


def measure(count: int, rounds: int) -> tuple[float, float]:
    """Return the median ratio of the rounds, and the mirrored pull's median seconds."""
    ratios, seconds = [], []
    with running_responder(count) as address:
        base_url = f"{address}/{LATENCY_MS}"
        for _ in range(rounds):
            bare, found = _timed(lambda: asyncio.run(pull_bare(base_url)))
            assert found == count
            with tempfile.TemporaryDirectory() as folder:
                Ledger.open(sqlite_url(Path(folder))).close()
                mirrored, found = _timed(lambda folder=folder: asyncio.run(pull_mirrored(base_url, Path(folder))))
            assert found == count
            ratios.append(bare / mirrored)
            seconds.append(mirrored)
    return statistics.median(ratios), statistics.median(seconds)


def _timed(work: Any) -> tuple[float, int]:
    gc.collect()
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def rows(count: int = 20_000, rounds: int = 3) -> Iterator[Row]:
    """Measure for about a minute."""
    yield judged(count, *measure(count, rounds))


def judged(count: int, ratio: float, seconds: float) -> Row:
    return Row(
        "P9",
        f"pull {count} paid invoices, {LATENCY_MS} ms, {IN_FLIGHT} in flight",
        ratio,
        TARGET,
        against="bare pager",
        remarks=(f"{count / seconds:.0f} invoices a second, each understood, kept and counted",),
    )


class _Connection(asyncio.Protocol):
    """Answers one request after another; `/<milliseconds>` begins each path."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._received = b""
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            target = urlsplit(head.split(b" ", 2)[1].decode())
            number, last = int(parse_qs(target.query).get("page", ["1"])[0]), -(-self._count // PAGE)
            body = page_body(number, self._count)
            link = f"Link: <http://127.0.0.1/?page={last}>; rel=last"
            answer = (
                f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{link}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            latency_s = int(target.path.split("/")[1]) / 1_000
            asyncio.get_running_loop().call_later(latency_s, self._transport.write, answer.encode() + body)


@contextmanager
def running_responder(count: int) -> Iterator[str]:
    """Run a responder in a separate process. Yield its address."""
    command = [sys.executable, "-m", "tests.load.pulls", str(count)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


async def _serve(count: int) -> None:
    for number in range(1, -(-count // PAGE) + 1):
        page_body(number, count)
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(count), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
