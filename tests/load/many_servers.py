"""Bill a month under two Prefect servers, PostgreSQL, Redis and four workers that are killed and added meanwhile.

The two servers share one database and exchange their messages through Redis. Each worker asks one of them. The faults
checker compares sheet, ledger and sandbox at the end.

PREFECT_API_URL=… python -m tests.load.many_servers registers the deployments that the workers take runs of.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Final

import psycopg
import pytest
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.types.entrypoint import EntrypointType
from psycopg import sql

from connectors.ledger.engine import Ledger
from flows.prefect_flows import bill_services, reconcile_batches, release_batches, work_batches
from tasks.runtime import open_context
from tasks.views.due_work import unfinished_batches
from tests.faults.checker import find_faults
from tests.faults.evidence import gather
from tests.faults.workbooks import month_lines, write_month
from tests.faults.worker import PROFILE
from tests.load.table import Row
from tests.sandboxes import running_sandbox
from tests.servers import free_port, running_server

NOTES: Final = 4_000
WORKERS: Final = 4
_BATCHES: Final = 40
"""The number of batches of a month, whatever its size."""
KILL_EVERY_S: Final = 30.0
"""The first worker is killed when the first batch is planned."""
_POOL: Final = "many"
_USER: Final = "bench"
_QUIET_S: Final = 20.0
_ONE: Final = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)
"""A sweep that is due while the last one works is dropped, as `deployments.bootstrap` has it."""
_ROOT: Final = Path(__file__).parents[2]
_MESSAGES: Final = _ROOT / ".venv" / "servers"
"""Where `make bench` installs what the servers need for Redis."""
_PYTHON: Final = (sys.executable, "-m")
_PATIENCE_S: Final = 3_600
_PAUSE_S: Final = 1.0
_SERVER: Final = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_WORKER_QUERY_SECONDS": "2",
    "PREFECT_SERVER_EVENTS_MESSAGING_BROKER": "prefect_redis.messaging",
    "PREFECT_SERVER_EVENTS_MESSAGING_CACHE": "prefect_redis.messaging",
    "PREFECT_SERVER_EVENTS_CAUSAL_ORDERING": "prefect_redis.ordering",
    "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect_redis.lease_storage",
}
_OURS: Final = {
    "APPROVAL__AUTOMATIC": "true",
    "NFSE__IN_FLIGHT": "32",
    "NFSE__PACE__LEAST_PER_MINUTE": "60000",
    "PROTOCOL__LEASE_S": "30",
    "PROTOCOL__QUIET_S": str(_QUIET_S),
    "PROTOCOL__SETTLE_S": "0.2",
    "REQUESTS__TIMEOUT_S": "10",
    "REQUESTS__CONNECT_TIMEOUT_S": "10",
    "RECONCILE__LOOKS_S": "[2]",
    "WORKERS__BATCHES_PER_RUN": "5",
}


def rows(*, notes: int = NOTES) -> Iterator[Row]:
    """Measure for some minutes. Without Redis and PostgreSQL on this machine, only a remark says so."""
    if shutil.which("redis-server") is None or _postgresql() is None:
        text = "not measured: this machine has no redis-server or no PostgreSQL of its own"
        yield Row("", "faults of a month under two servers", float("nan"), remarks=(text,))
        return
    yield judged(month(notes))


@dataclass(slots=True)
class Month:
    """Result of a month: the checker's faults, and how it went."""

    notes: int
    seconds: float
    posts: int
    killed: int
    faults: Sequence[str]


def judged(seen: Month) -> Row:
    text = (
        f"{seen.notes:,} notes closed in {seen.seconds:.0f} s by {WORKERS} workers of two servers;"
        f" {seen.posts:,} posts, {seen.killed} workers killed and replaced"
    )
    remarks = (text, *seen.faults[:5])
    return Row("", "faults of a month under two servers", len(seen.faults), 0, is_ceiling=True, remarks=remarks)


def month(notes: int) -> Month:
    """Bill a month to its end while workers are killed and replaced."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faturista-bench-")))
        ledger_url, servers_url = stack.enter_context(_databases())
        servers = stack.enter_context(_two_servers(home, servers_url))
        sandbox = stack.enter_context(running_sandbox(advance="at_once", rejection_share=0.02, rejection_seed=3))
        ours = {**_OURS, "NFSE__BASE_URL": sandbox.base_url, "LEDGER__URL": ledger_url, "PATHS__HOME": str(home)}
        ours["PROTOCOL__BATCH_SIZE"] = str(max(10, notes // _BATCHES))
        given = {f"FATURISTA_{name}": value for name, value in ours.items()}
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in given.items():
            patch.setenv(name, value)
        dropped = write_month(home / "mes.xlsx", month_lines(notes))
        _run(servers[0], *_PYTHON, "prefect", "work-pool", "create", _POOL, "--type", "process")
        _run(servers[0], *_PYTHON, "tests.load.many_servers")
        workers = stack.enter_context(_workers([{**each, **given} for each in servers], home))
        start = time.monotonic()
        parameters = ("--param", f"path={dropped.path}", "--param", f"profile={PROFILE}")
        _run(servers[1], *_PYTHON, "prefect", "deployment", "run", "bill_services/bill_services", *parameters)
        _follow(workers, start)
        seconds = time.monotonic() - start
        workers.end()
        record = sandbox.record(history=True)
        faults = find_faults(gather([dropped], ledger_url, record), quiet_s=_QUIET_S)
        posts = sandbox.requests()["notes.create"]
        return Month(notes, seconds, posts, workers.killed, faults)


def _follow(workers: "Workers", start: float) -> None:
    """Kill a worker with all its runs from time to time, and start another one, until the month is closed."""
    next_kill: float | None = None
    with open_context(PROFILE) as context:
        while not workers.has_billed() or unfinished_batches(context):
            now = time.monotonic()
            if now > start + _PATIENCE_S:
                raise RuntimeError("the month does not come to its end\n" + workers.logs())
            if next_kill is None and workers.has_billed():
                next_kill = now
            if next_kill is not None and now >= next_kill and workers.killed < 2 * WORKERS:
                workers.replace_one()
                next_kill = now + KILL_EVERY_S
            time.sleep(_PAUSE_S)


def _postgresql() -> Path | None:
    """Return the newest PostgreSQL of this machine: the one of the tests lacks an extension that Prefect needs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return found[-1] if found else None


@contextmanager
def _databases() -> Iterator[tuple[str, str]]:
    """Run a PostgreSQL server as its own user. Yield the addresses of a migrated ledger and of an empty database."""
    programs = _postgresql()
    assert programs is not None
    as_user = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory(prefix="faturista-bench-", dir="/tmp") as folder:
        if as_user:
            shutil.chown(folder, "postgres")
        _run(
            os.environ,
            *as_user,
            str(programs / "initdb"),
            "-D",
            f"{folder}/data",
            "-A",
            "trust",
            "-U",
            "bench",
            "-E",
            "UTF8",
        )
        served = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "max_connections=300")
        command = [*as_user, str(programs / "postgres"), "-D", f"{folder}/data", *served]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                names = ("ledger", "servers")
                _create(f"postgresql://{_USER}@/postgres?host={folder}", *names)
                ledger_url, servers_url = (
                    f"postgresql://{_USER}@/{name}?host={folder}" for name in ("ledger", "servers")
                )
                Ledger.open(ledger_url).close()
                yield ledger_url, servers_url
            finally:
                _run(os.environ, *as_user, str(programs / "pg_ctl"), "-D", f"{folder}/data", "-m", "immediate", "stop")
                server.wait(_PATIENCE_S)


def _create(url: str, *names: str) -> None:
    for _ in range(100):
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True) as conn:
            for name in names:
                conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
            return
        time.sleep(0.2)
    raise RuntimeError("PostgreSQL did not start")


@contextmanager
def _two_servers(home: Path, database_url: str) -> Iterator[list[dict[str, str]]]:
    """Run two servers on one empty database, with Redis between them. Yield the environments of their clients."""
    with _redis(home) as redis, ExitStack() as stack:
        settings = {
            **_SERVER,
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": database_url.replace("postgresql:", "postgresql+asyncpg:"),
            "PREFECT_REDIS_MESSAGING_URL": redis,
            "PREFECT_SERVER_DOCKET_URL": redis.removesuffix("0") + "1",
            "PYTHONPATH": str(_MESSAGES),
        }
        environments = []
        for name in ("first", "second"):
            (home / name).mkdir()
            environments.append(stack.enter_context(running_server(home / name, settings)))
        yield environments


@contextmanager
def _redis(home: Path) -> Iterator[str]:
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(home)]
    with (home / "redis.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait(_PATIENCE_S)


@dataclass(slots=True)
class Workers:
    """Workers of the pool, in turn at each server."""

    environments: Iterator[Mapping[str, str]]
    home: Path
    killed: int = 0
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _begun: int = 0

    def start(self) -> None:
        self._begun += 1
        command = [*_PYTHON, "prefect", "worker", "start", "--pool", _POOL, "--type", "process", "--limit", "2"]
        with (self.home / f"worker-{self._begun}.log").open("wb") as log:
            self._running.append(
                subprocess.Popen(
                    command,
                    cwd=_ROOT,
                    env={**next(self.environments)},
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def replace_one(self) -> None:
        """Send SIGKILL to the oldest worker and to its runs, as if the machine died; start another one."""
        self._kill(self._running.pop(0))
        self.killed += 1
        self.start()

    def has_billed(self) -> bool:
        """Return whether a sheet's batches are in the ledger."""
        with open_context(PROFILE) as context:
            return context.ledger.read(lambda conn: bool(conn.exec_driver_sql("SELECT 1 FROM batches").first()))

    def logs(self) -> str:
        logs = sorted(self.home.glob("worker-*.log"))
        return "\n".join(log.read_text(errors="replace")[-1_500:] for log in logs)

    def end(self) -> None:
        while self._running:
            self._kill(self._running.pop())

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        # each run is a process of its worker's session, whatever its group
        for each in _session(process.pid):
            os.kill(each, signal.SIGKILL)
        process.wait(_PATIENCE_S)


def _session(leader: int) -> list[int]:
    """Return the processes of a session, its leader first."""
    found = subprocess.run(["ps", "-o", "pid=", "-s", str(leader)], capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


@contextmanager
def _workers(environments: Sequence[Mapping[str, str]], home: Path) -> Iterator[Workers]:
    workers = Workers(cycle(environments), home)
    try:
        for _ in range(WORKERS):
            workers.start()
        yield workers
    finally:
        workers.end()


def _run(environment: Mapping[str, str], *command: str) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=_ROOT, env={**environment}, check=False, timeout=_PATIENCE_S
    )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-2_000:])


async def deploy() -> None:
    """Register the flows; each sweep begins every few seconds, which is often for a month and rare for a bench."""
    for flow, seconds in ((bill_services, None), (work_batches, None), (release_batches, 20), (reconcile_batches, 30)):
        deployment = await flow.ato_deployment(
            flow.name,
            interval=seconds,
            parameters={"profile": PROFILE},
            work_pool_name=_POOL,
            concurrency_limit=_ONE if seconds else None,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
        await deployment.aapply()


if __name__ == "__main__":
    assert os.environ.get("PREFECT_API_URL")
    asyncio.run(deploy())
