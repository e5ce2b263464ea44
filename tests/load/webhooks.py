"""Measure what hints gain: seconds from the last acceptance until the ledger knows it, and requests, with and without.

The provider takes its time for each note; the plan of looks is production's, ten times faster. A second row loads the
receiver alone, as a process of its own.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from connectors.ledger.batches import batches_where
from domain.states import BatchState
from flows.reconcile_batches import Sweep
from flows.runner import DirectRunner
from tasks import entries
from tasks.records.carry_out import Requester
from tasks.runtime import open_context
from tasks.stations.reading_options import ReadingOptions
from tasks.webhooks import registration
from tasks.webhooks.address import receiver_address
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.load.table import Row
from tests.sandboxes import RunningSandbox, running_sandbox
from tests.servers import free_port

PROFILE: Final = "local"
_FASTER: Final = 10
_LOOKS_S: Final = [seconds / _FASTER for seconds in (15, 30, 60, 120, 300)]
_ALL: Final = "[" + ", ".join(map(str, _LOOKS_S)) + "]"
_SETTINGS: Final = {
    "PROTOCOL__SETTLE_S": "0.5",
    "PROTOCOL__LEASE_S": "120",
    "NFSE__PACE__LEAST_PER_MINUTE": "6000",
    "RECONCILE__LOOKS_S": _ALL,
    "WEBHOOKS__EVERY_S": str(10 / _FASTER),
    "WEBHOOKS__WITHIN_S": str(60 / _FASTER),
}
_START_S: Final = 120.0
_CONNECTIONS: Final = 20
_RATE: Final = 500


@dataclass(frozen=True, slots=True)
class Followed:
    """`known_s`: from the provider's last acceptance until the ledger has it. `requests`: only those after the send."""

    known_s: float
    requests: int


def rows(*, count: int = 100, batch_size: int = 25, takes_s: float = 30.0, load_s: float = 5.0) -> Iterator[Row]:
    """Take about two minutes."""
    found = {}
    for is_hearing in (False, True):
        with _place(batch_size) as (sandbox, home), _receiver(home) if is_hearing else nullcontext():
            if is_hearing:
                asyncio.run(registration.register(PROFILE, Requester("bench", "bench")))
            found[is_hearing] = _follow(sandbox, home, count=count, takes_s=takes_s)
    without, with_hints = found[False], found[True]
    text = (
        f"with hints: {with_hints.known_s:.1f} s, {with_hints.requests} requests; by looks alone: "
        f"{without.known_s:.1f} s, {without.requests} requests; times {_FASTER} for production's plan of looks"
    )
    what = f"from acceptance to known, {count} notes in {takes_s:.0f} s"
    yield Row("", what, with_hints.known_s / without.known_s, 1.0, "looks alone", is_ceiling=True, remarks=(text,))
    with _place(batch_size) as (_, home), _receiver(home):
        slowest_s, answered = asyncio.run(_flood(load_s))
    what = f"95 % of {answered} answers, {_RATE} deliveries a second"
    yield Row("", what, slowest_s * 1000, 100.0, "one receiver", is_ceiling=True, unit=" ms")


@contextmanager
def _place(batch_size: int) -> Iterator[tuple[RunningSandbox, Path]]:
    with (
        tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder,
        pytest.MonkeyPatch.context() as environment,
        running_sandbox() as sandbox,
    ):
        port = free_port()
        places = {
            "PATHS__HOME": folder,
            "LEDGER__URL": f"sqlite:///{folder}/l.db",
            "NFSE__BASE_URL": sandbox.base_url,
            "WEBHOOKS__URL": f"http://127.0.0.1:{port}",
            "WEBHOOKS__PORT": str(port),
            "PROTOCOL__BATCH_SIZE": str(batch_size),
        }
        environment.delenv("PREFECT_API_URL", raising=False)
        for name, value in (_SETTINGS | places).items():
            environment.setenv(f"FATURISTA_{name}", value)
        yield sandbox, Path(folder)


@contextmanager
def _receiver(home: Path) -> Iterator[None]:
    with (home / "receiver.log").open("wb") as log:
        command = [sys.executable, "-m", "deployments.receiver"]
        process = subprocess.Popen(command, env=os.environ.copy(), stderr=log)
        try:
            asyncio.run(_until_listening())
            yield
        finally:
            process.terminate()
            process.wait(_START_S)


async def _until_listening() -> None:
    parts = urlsplit(_address())
    async with asyncio.timeout(_START_S):
        while True:
            try:
                _, writer = await asyncio.open_connection(parts.hostname, parts.port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                with closing(writer):
                    return


def _address() -> str:
    with open_context(PROFILE) as context:
        return receiver_address(context).address


def _follow(sandbox: RunningSandbox, home: Path, *, count: int, takes_s: float) -> Followed:
    month = home / "month.xlsx"
    write_month(month, [line for line in month_lines(2 * count, emitters=(RIO,)) if line.kind == "good"][:count])
    sandbox.switch(advance="seconds", advance_seconds=takes_s)
    before = asyncio.run(_sent(sandbox, month))
    asyncio.run(_until_known())
    with open_context(PROFILE) as context:
        closed = [batch.closed_at for batch in context.ledger.read(batches_where, states={BatchState.PROCESSED})]
    known_at = max(at.timestamp() for at in closed if at is not None)
    asked = sum(sandbox.record()["requests_by_operation"].values()) - before
    last_at = max(
        entry["at"] for entry in sandbox.record(history=True)["note_history"] if entry["to_status"] == "accepted"
    )
    return Followed(known_at - last_at, asked)


async def _sent(sandbox: RunningSandbox, month: Path) -> int:
    """Send everything; return the number of requests so far."""
    file = await entries.intake(PROFILE, str(month), "services")
    reading, _ = await entries.read(PROFILE, file, ReadingOptions(operator="bench"))
    await entries.resolve(PROFILE, reading)
    await entries.assemble(PROFILE, reading)
    batches = [batch for shard in entries.unstaged_shards(PROFILE, reading) for batch in shard.batches]
    await entries.stage(PROFILE, batches)
    assert await entries.approve(PROFILE) == len(batches)
    for shard in entries.due_shards(PROFILE, "release"):
        await entries.release(PROFILE, shard.batches)
    return int(sum(sandbox.record()["requests_by_operation"].values()))


async def _until_known() -> None:
    await Sweep(DirectRunner(), PROFILE).until_done()


async def _flood(seconds: float) -> tuple[float, int]:
    """Send deliveries at the rate. Return the 95th percentile of the answers' seconds, and how many came."""
    parts = urlsplit(_address())
    body = b'{"id": %d, "from_status": "processing", "to_status": "accepted"}'
    head = f"POST {parts.path} HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".encode()
    took: list[float] = []

    async def deliver(first: int) -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        with closing(writer):
            start = time.perf_counter()
            for number in range(int(seconds * _RATE / _CONNECTIONS)):
                await asyncio.sleep(max(0.0, start + number * _CONNECTIONS / _RATE - time.perf_counter()))
                content = body % (first * 1_000_000 + number)
                sent = time.perf_counter()
                writer.write(head % len(content) + content)
                answer = await reader.readuntil(b"\r\n\r\n")
                assert answer.startswith(b"HTTP/1.1 200")
                took.append(time.perf_counter() - sent)

    await asyncio.gather(*(deliver(first) for first in range(1, _CONNECTIONS + 1)))
    return sorted(took)[int(len(took) * 0.95)], len(took)
