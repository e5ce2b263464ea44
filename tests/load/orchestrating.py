"""P3 and P13: the cost of the orchestrator: one task for each batch, one for each row, and none at all.

A separate Prefect server with its default settings starts before the measurement; the responder answers the notes. The
ledger is SQLite.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.load.flowing import BATCH_SIZE, Run
from tests.load.responder import running_responder
from tests.load.table import Row
from tests.servers import running_server

ROWS: Final = 1_000
NOTES: Final = 50_000
SLOW_MS: Final = 50
_ROOT: Final = Path(__file__).parents[2]
_PATIENCE_S: Final = 1_800
_TASK_RUNS_BESIDES: Final = 20
_QUIET: Final = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", "PREFECT_LOGGING_LEVEL": "ERROR"}
_SETTINGS: Final = {
    "APPROVAL__AUTOMATIC": "false",
    "NFSE__IN_FLIGHT": "64",
    "REQUESTS__TIMEOUT_S": "30",
    "PROTOCOL__LEASE_S": "120",
    "PROTOCOL__QUIET_S": "60",
    "PROTOCOL__SETTLE_S": "0",
}


def rows(*, count: int = ROWS, notes: int = NOTES) -> Iterator[Row]:
    """Measure for about five minutes."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder, running_responder() as address:
        home = Path(folder)
        with running_server(home, _QUIET) as environment:
            each, ours = (_run(way, f"{address}/0", count, home, environment) for way in ("rows", "flow"))
            yield beside_rows(each, ours, count)
            flow, plain = (_run(way, f"{address}/{SLOW_MS}", notes, home, environment) for way in ("flow", "plain"))
            yield from beside_none(flow, plain, notes)


def beside_rows(each: Run, ours: Run, count: int) -> Row:
    text = (
        f"until the server has written down the last: {each.task_runs:,} task runs in {each.recorded_s:.1f} s,"
        f" {ours.task_runs} in {ours.recorded_s:.1f} s"
    )
    ratio = each.recorded_s / ours.recorded_s
    return Row("P3", f"stage {count:,} notes as a flow", ratio, 15, "one task for each row", remarks=(text,))


def beside_none(flow: Run, plain: Run, notes: int) -> Iterator[Row]:
    what = f"orchestrator's share, {notes:,} notes at {SLOW_MS} ms"
    share = max(0.0, 1 - plain.seconds / flow.seconds)
    text = f"{flow.seconds:.1f} s as a flow, {plain.seconds:.1f} s without"
    yield Row("P13", what, share, 0.05, is_ceiling=True, stretch=" (0.02)", remarks=(text,))
    most = _TASK_RUNS_BESIDES + -(-notes // BATCH_SIZE)
    yield Row("P13", "task runs of that", flow.task_runs, most, is_ceiling=True)


def settings(base_url: str, home: Path) -> dict[str, str]:
    """Return the environment of a run at this provider, with a separate ledger below `home`."""
    places = {"NFSE__BASE_URL": base_url, "PATHS__HOME": str(home), "LEDGER__URL": f"sqlite:///{home}/ledger.db"}
    return {f"FATURISTA_{name}": value for name, value in {**_SETTINGS, **places}.items()}


def _run(way: str, base_url: str, count: int, home: Path, environment: Mapping[str, str]) -> Run:
    with tempfile.TemporaryDirectory(dir=home) as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.load.flowing", way, base_url, str(count)],
            capture_output=True,
            text=True,
            cwd=_ROOT,
            env={**environment, **settings(base_url, Path(folder))},
            check=False,
            timeout=_PATIENCE_S,
        )
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    return Run(**json.loads(done.stdout.splitlines()[-1]))
