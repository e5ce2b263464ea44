"""P14: how long a person waits for a small command, beside Python's own start.

Each command is a separate process, as typed at a terminal: the sandbox runs beside it and the ledger exists already.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.load.table import Row
from tests.sandboxes import ROOT, running_sandbox
from tests.tasks.dropped_sheets import cells, write_sheet

ROUNDS: Final = 5
VERSION_S: Final = 0.4
PREVIEW_S: Final = 1.2
BILL_S: Final = 4.0
_BARE: Final = (sys.executable, "-c", "pass")
COMMAND: Final = (sys.executable, "-c", "from flows.cli import main; main()")
_PATIENCE_S: Final = 120


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one command by the clock and of its processor; the latter hardly change on a busy machine."""

    clock: float
    processor: float


def rows(*, rounds: int = ROUNDS) -> Iterator[Row]:
    """Measure the three commands. Takes about a minute."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder, running_sandbox() as sandbox:
        home = Path(folder)
        environment = environment_of(home, sandbox.base_url)
        bare = [took(_BARE, environment) for _ in range(rounds)]
        sheets = [write_sheet(home / f"month-{number}.csv", [cells(number)]) for number in range(rounds + 1)]
        # The very first command makes the ledger, and Python compiles what it loads for the first time.
        first = took([*COMMAND, "preview", str(sheets.pop())], environment)
        version = [took([*COMMAND, "--version"], environment) for _ in range(rounds)]
        preview = [took([*COMMAND, "preview", str(sheet)], environment) for sheet in sheets]
        bill = [took([*COMMAND, "bill", str(sheet)], environment) for sheet in sheets]
    yield row("faturista --version", version, VERSION_S, bare)
    yield row(
        "faturista preview, one row", preview, PREVIEW_S, bare, f"{first.clock:.2f} s where it makes the ledger first"
    )
    yield row("faturista bill, one row until it is staged", bill, BILL_S, bare)


def row(what: str, measured: Sequence[Took], target: float, bare: Sequence[Took], *remarks: str) -> Row:
    """Return the median against its target, with its ratio to a bare Python."""
    middle = statistics.median(each.clock for each in measured)
    ratio = (
        f"{middle / statistics.median(each.clock for each in bare):.0f} times a bare python -c pass;"
        f" {statistics.median(each.processor for each in measured):.2f} s of one processor"
    )
    return Row("P14", what, middle, target, is_ceiling=True, unit=" s", remarks=(ratio, *remarks))


def environment_of(home: Path, base_url: str) -> dict[str, str]:
    """Return an environment without a Prefect server, with a provider and a ledger of its own.

    No setting of Python's is in it, so that Python keeps what it compiled, as in any installation.
    """
    others = ("PREFECT_", "FATURISTA_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    services = {f"FATURISTA_{service}__BASE_URL": base_url for service in ("NFSE", "PRODUCTS", "ORDERS")}
    return {**kept, **services, "FATURISTA_PATHS__HOME": str(home), "FATURISTA_LANGUAGE": "en"}


def took(command: Sequence[str], environment: Mapping[str, str]) -> Took:
    """Run a command. Raise `RuntimeError` if it failed."""
    start, used = time.perf_counter(), _processor()
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False, timeout=_PATIENCE_S
    )
    ended = Took(time.perf_counter() - start, _processor() - used)
    if done.returncode:
        raise RuntimeError(done.stdout[-2_000:] + done.stderr[-2_000:])
    return ended


def _processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
