"""Measure how long it takes to release and close a month, against staging the same notes.

One process does both, one after the other, with the sandbox as the provider. The city issues every note at once, so
that only requests, the ledger and comparisons count.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from connectors.ledger.batches import batches_where
from tasks import entries
from tasks.runtime import open_context
from tasks.stations.reading_options import ReadingOptions
from tasks.views.due_work import STATES
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.faults.worker import PROFILE
from tests.load.table import Row
from tests.sandboxes import RunningSandbox, running_sandbox

LATENCY_MS: Final = 50
_SETTINGS: Final = {
    "PROTOCOL__SETTLE_S": "0",
    "PROTOCOL__LEASE_S": "120",
    "NFSE__PACE__LEAST_PER_MINUTE": "6000",
    "RECONCILE__LOOKS_S": "[0.05]",
}

Step = Callable[[Sequence[int]], Coroutine[None, None, None]]


def rows(*, count: int = 2_000, batch_size: int = 250, latency_ms: int = LATENCY_MS) -> Iterator[Row]:
    """Take about a minute."""
    with (
        tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder,
        pytest.MonkeyPatch.context() as environment,
        running_sandbox(advance="at_once") as sandbox,
    ):
        home = Path(folder)
        places = {"PATHS__HOME": folder, "LEDGER__URL": f"sqlite:///{home}/l.db", "NFSE__BASE_URL": sandbox.base_url}
        for name, value in (_SETTINGS | places | {"PROTOCOL__BATCH_SIZE": str(batch_size)}).items():
            environment.setenv(f"FATURISTA_{name}", value)
        month = home / "month.xlsx"
        write_month(month, [line for line in month_lines(2 * count, emitters=(RIO,)) if line.kind == "good"][:count])
        batches = asyncio.run(_planned(month))
        sandbox.switch(fixed_latency_ms=latency_ms)
        spent = {name: _timed(sandbox, step, batches) for name, step in _STEPS.items()}
    staging_s, _ = spent["stage"]
    found = [f"{name}: {seconds:.1f} s, {requests} requests" for name, (seconds, requests) in spent.items()]
    closing_s = sum(seconds for name, (seconds, _) in spent.items() if name != "stage")
    what = f"release and close {count} notes in {len(batches)} batches, {latency_ms} ms"
    yield Row(
        "", what, closing_s / staging_s, 1.0, against="staging them", is_ceiling=True, remarks=("; ".join(found),)
    )


async def _planned(month: Path) -> list[int]:
    file = await entries.intake(PROFILE, str(month), "services")
    reading, _ = await entries.read(PROFILE, file, ReadingOptions(operator="bench"))
    await entries.resolve(PROFILE, reading)
    await entries.assemble(PROFILE, reading)
    return [batch for shard in entries.unstaged_shards(PROFILE, reading) for batch in shard.batches]


async def _stage(batches: Sequence[int]) -> None:
    await entries.stage(PROFILE, batches)
    assert await entries.approve(PROFILE) == len(batches)


async def _release(_batches: Sequence[int]) -> None:
    for shard in entries.due_shards(PROFILE, "release"):
        await entries.release(PROFILE, shard.batches)


async def _close(_batches: Sequence[int]) -> None:
    with open_context(PROFILE) as context:
        while context.ledger.read(batches_where, states=STATES["reconcile"]):
            for shard in entries.due_shards(PROFILE, "reconcile"):
                await entries.reconcile(PROFILE, shard.batches)


_STEPS: Final[dict[str, Step]] = {"stage": _stage, "release": _release, "close": _close}


def _timed(sandbox: RunningSandbox, step: Step, batches: Sequence[int]) -> tuple[float, int]:
    before = _asked(sandbox)
    start = time.perf_counter()
    asyncio.run(step(batches))
    seconds = time.perf_counter() - start
    return seconds, _asked(sandbox) - before


def _asked(sandbox: RunningSandbox) -> int:
    return sum(sandbox.record()["requests_by_operation"].values())
