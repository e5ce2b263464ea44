"""Post notes under Prefect in a separate process; measure the time, and the task runs that its server recorded.

PREFECT_API_URL=… FATURISTA_…=… python -m tests.load.flowing {rows|flow|plain} BASE_URL COUNT
"""

import asyncio
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import httpx
from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows.prefect_flows import reconcile_batches
from tasks.runtime import open_context, open_runtime
from tasks.stations.stage import stage_batches
from tasks.views.due_work import due_batches
from tests.load.loops import HEADERS, PATH
from tests.load.workload import bodies, plan

BATCH_SIZE: Final = 500
_PROFILE: Final = "local"
_CALM_S: Final = 2.0
"""Seconds without a new record after which the server has recorded everything."""


@dataclass(frozen=True, slots=True)
class Run:
    """`seconds` until the work is done, `recorded_s` until the server has recorded all of it."""

    seconds: float
    recorded_s: float
    task_runs: int


@task(cache_policy=NO_CACHE)
def post(client: Any, url: str, body: bytes) -> int:
    """Post one row in one task, as most people would begin."""
    return int(client.post(url, content=body).status_code)


@flow
def post_rows(base_url: str, count: int) -> None:
    with httpx.Client(headers=HEADERS) as client:
        answers = [post.submit(client, base_url + PATH, body) for body in bodies(count)]
        assert {answer.result() for answer in answers} == {201}


async def _rows(base_url: str, count: int) -> None:
    await asyncio.to_thread(post_rows, base_url, count)


async def _flow(_base_url: str, _count: int) -> None:
    await reconcile_batches(profile=_PROFILE)


async def _plain(_base_url: str, _count: int) -> None:
    async with open_runtime(_PROFILE, station="stage") as runtime:
        await stage_batches(runtime, due_batches(runtime, "stage"))


Way = Callable[[str, int], Coroutine[Any, Any, None]]
WAYS: Final[Mapping[str, Way]] = {
    "rows": _rows,
    "flow": _flow,
    "plain": _plain,
}


def measure(way: str, base_url: str, count: int) -> Run:
    """Measure one run after a small one, which loads what is loaded only once."""
    run = Run(0, 0, 0)
    for notes in (1, count):
        if way != "rows":
            plan_notes(notes)
        before = _task_runs()
        start = time.perf_counter()
        asyncio.run(WAYS[way](base_url, notes))
        ended = time.perf_counter()
        assert way == "rows" or not left()
        recorded_at, after = _recorded(ended)
        run = Run(ended - start, recorded_at - start, after - before)
    return run


def plan_notes(count: int) -> None:
    """Plan batches in the environment's ledger, ready to be staged."""
    with open_context(_PROFILE) as context:
        context.ledger.write(plan, name=secrets.token_hex(4), count=count, batch_size=BATCH_SIZE)


def left() -> int:
    """Return the number of notes that still wait."""
    with open_context(_PROFILE) as context:
        return len(due_batches(context, "stage"))


def _recorded(ended: float) -> tuple[float, int]:
    """Return when the last task run was recorded, and how many there are."""
    seen, changed_at = _task_runs(), ended
    while time.perf_counter() < changed_at + _CALM_S:
        time.sleep(0.05)
        now = _task_runs()
        if now != seen:
            seen, changed_at = now, time.perf_counter()
    return changed_at, seen


def _task_runs() -> int:
    ended = {"task_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}}
    return int(httpx.post(f"{os.environ['PREFECT_API_URL']}/task_runs/count", json=ended, timeout=60).json())


def main() -> None:
    way, base_url, count = sys.argv[1:]
    print(json.dumps(asdict(measure(way, base_url, int(count)))))


if __name__ == "__main__":
    main()
