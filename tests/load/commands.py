"""P15: what a whole month costs a person at a terminal: its preview, and its bill until every invoice is staged.

Each command is a process of its own against the sandbox beside it. Its peak of memory is the kernel's figure.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.load import workbooks
from tests.load.startup import COMMAND, environment_of
from tests.load.table import Row
from tests.sandboxes import ROOT, running_sandbox
from tests.tasks.dropped_sheets import cells, write_sheet

ROWS: Final = 50_000
PREVIEW_S: Final = 20.0
PEAK_MB: Final = 400


# A command's peak includes that of the process which forked it: a small one does.
_MEASURE: Final = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as found:
    found.write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}")
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one command took: seconds by the clock and of processors, and megabytes at its peak."""

    clock: float
    processor: float
    peak_mb: int


def rows(*, count: int = ROWS) -> Iterator[Row]:
    """Measure the preview and the bill of one workbook. Takes several minutes."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder, running_sandbox() as sandbox:
        home = Path(folder)
        environment = environment_of(home, sandbox.base_url)
        book = home / "month.xlsx"
        workbooks.write_month(book, count)
        # The very first command makes the ledger, and Python compiles what it loads for the first time.
        measured([*COMMAND, "preview", str(write_sheet(home / "first.csv", [cells(1)]))], environment)
        yield from of_preview(count, measured([*COMMAND, "preview", str(book)], environment))
        yield from of_bill(count, measured([*COMMAND, "bill", str(book)], environment))


def of_preview(count: int, run: Run) -> Iterator[Row]:
    what, remark = f"faturista preview, {count:,} × {workbooks.WIDTH}", f"{run.processor:.1f} s of processors"
    yield Row("P15", what, run.clock, PREVIEW_S, is_ceiling=True, unit=" s", remarks=(remark,))
    yield Row("P15", "peak memory of that", run.peak_mb, PEAK_MB, is_ceiling=True, unit=" MB")


def of_bill(count: int, run: Run) -> Iterator[Row]:
    text = f"{run.clock:.0f} s by the clock, {run.processor:.0f} s of processors"
    what = f"peak memory of faturista bill, {count:,} rows until staged"
    yield Row("P15", what, run.peak_mb, PEAK_MB, is_ceiling=True, unit=" MB", remarks=(text,))


def measured(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """Run a command. Raise `RuntimeError` if it failed."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as printed, tempfile.NamedTemporaryFile() as used:
        alone = [sys.executable, "-c", _MEASURE, used.name, *command]
        if subprocess.run(alone, stdout=printed, stderr=printed, cwd=ROOT, env=environment, check=False).returncode:
            printed.seek(0)
            raise RuntimeError(printed.read()[-2_000:].decode(errors="replace"))
        clock = time.perf_counter() - start
        processor, peak = used.read().split()
    return Run(clock, float(processor), int(peak) // 1024)
