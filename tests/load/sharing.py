"""Measure how much sooner a second worker of a Prefect server ends a large run.

The responder answers after 200 ms, so that the requests in flight limit the throughput, not the processor. All
processes share one limit: with the same limit a second worker can win nothing and must lose nothing, with twice the
limit the two must be nearly twice as fast as one worker was. The clock runs from the first post to the last answer; the
second worker has to start its process meanwhile.

PREFECT_API_URL=… python -m tests.load.sharing registers the deployment that a worker takes runs of.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa
from prefect.types.entrypoint import EntrypointType

from connectors.ledger import tables
from flows.prefect_flows import work_batches
from tasks.runtime import open_context
from tests.faults.worker import PROFILE
from tests.load.orchestrating import settings
from tests.load.responder import running_responder
from tests.load.table import Row
from tests.load.workload import plan
from tests.servers import running_server

LATENCY_MS: Final = 200
_BATCH_SIZE: Final = 500
_IN_FLIGHT: Final = 16
_POOL: Final = "sharing"
_ROOT: Final = Path(__file__).parents[2]
_PYTHON: Final = (sys.executable, "-m")
_FATURISTA: Final = str(Path(sys.executable).with_name("faturista"))
_PATIENCE_S: Final = 1_800
_GRACE_S: Final = 20
_QUIET: Final = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", "PREFECT_WORKER_QUERY_SECONDS": "2"}


def rows(*, notes: int = 8_000) -> Iterator[Row]:
    """Measure for about eight minutes."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder, running_responder() as address:
        home = Path(folder)
        with running_server(home, _QUIET) as environment:
            _run(environment, *_PYTHON, "prefect", "work-pool", "create", _POOL, "--type", "process")
            _run(environment, *_PYTHON, "tests.load.sharing")
            taken: dict[tuple[int, int], float] = {}
            for in_flight, workers in ((_IN_FLIGHT, 1), (_IN_FLIGHT, 2), (2 * _IN_FLIGHT, 1), (2 * _IN_FLIGHT, 2)):
                here = home / f"{workers}-{in_flight}"
                given = _environment(notes, f"{address}/{LATENCY_MS}", here, in_flight=in_flight)
                with _second_worker(given, here, environment) if workers == 2 else nullcontext():
                    taken[in_flight, workers] = _staged(notes, given, here, environment)
    yield from judged(notes, taken)


def judged(notes: int, taken: Mapping[tuple[int, int], float]) -> Iterator[Row]:
    """Yield the results from the seconds of each run, by the limit of requests in flight and the number of workers."""
    low, high = sorted({in_flight for in_flight, _ in taken})
    what = f"stage {notes:,} notes at {LATENCY_MS} ms with two workers"
    for ours, one, target in ((high, low, 1.7), (low, low, 0.9), (high, high, 0.9)):
        alone_s, two_s = taken[one, 1], taken[ours, 2]
        text = f"{alone_s:.1f} s alone with {one} requests in flight, {two_s:.1f} s by two that share {ours}"
        yield Row("", f"{what} that share {ours}", alone_s / two_s, target, against=f"one with {one}", remarks=(text,))


def _environment(notes: int, base_url: str, home: Path, *, in_flight: int) -> dict[str, str]:
    half = str(max(1, notes // _BATCH_SIZE // 2))
    ours = {"FATURISTA_WORKERS__BATCHES_PER_RUN": half, "FATURISTA_NFSE__IN_FLIGHT": str(in_flight)}
    return {**settings(base_url, home), **ours}


def _staged(notes: int, given: Mapping[str, str], home: Path, environment: Mapping[str, str]) -> float:
    """Stage the notes in a run of the sweep. Return the seconds from the first post to the last answer."""
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        with open_context(PROFILE) as context:
            context.ledger.write(plan, name="sharing", count=notes, batch_size=_BATCH_SIZE)
        _run({**environment, **given}, _FATURISTA, "reconcile", "--until-done")
        with open_context(PROFILE) as context:
            return context.ledger.read(_seconds)


def _seconds(conn: sa.Connection) -> float:
    posts = tables.attempts
    first, last = conn.execute(
        sa.select(sa.func.min(posts.c.begun_at), sa.func.max(posts.c.ended_at)).where(posts.c.what == "post")
    ).one()
    return float((last - first).total_seconds())


@contextmanager
def _second_worker(given: Mapping[str, str], home: Path, environment: Mapping[str, str]) -> Iterator[None]:
    home.mkdir(exist_ok=True)
    command = [*_PYTHON, "prefect", "worker", "start", "--pool", _POOL, "--type", "process", "--limit", "1"]
    with (home / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            command,
            cwd=_ROOT,
            env={**environment, **given},
            stdout=log,
            stderr=log,
        )
        try:
            yield
        finally:
            worker.terminate()
            # a worker may wait for its server's events for ever
            with suppress(subprocess.TimeoutExpired):
                worker.wait(_GRACE_S)
            worker.kill()
            worker.wait(_PATIENCE_S)


def _run(environment: Mapping[str, str], *command: str) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=_ROOT,
        env={**environment},
        check=False,
        timeout=_PATIENCE_S,
    )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-2_000:])


async def deploy() -> None:
    deployment = await work_batches.ato_deployment(
        work_batches.name,
        parameters={"profile": PROFILE},
        work_pool_name=_POOL,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    await deployment.aapply()


if __name__ == "__main__":
    assert os.environ.get("PREFECT_API_URL")
    asyncio.run(deploy())
