"""P4 to P6: the cost of reading a large sheet, checking every cell, and storing every row in the ledger.

Each run is a separate process, so that its time and its peak of memory are its own. It is compared with mere iteration
of the same workbook by calamine, and with mere reading by pandas and openpyxl, which have a separate environment (`make
bench` makes it).
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.load import workbooks
from tests.load.table import Row

ROWS: Final = 100_000
CSV_ROWS: Final = 1_000_000
ROUNDS: Final = 3
ROOT: Final = Path(__file__).parents[2]
BENCH_PYTHON: Final = Path(sys.prefix) / "bench" / "bin" / "python"
PANDAS: Final = """
import json, sys, time
import pandas
start = time.perf_counter()
frame = pandas.read_excel(sys.argv[1], engine="openpyxl", dtype=object, keep_default_na=False)
print(json.dumps({"seconds": time.perf_counter() - start, "peak_mb": 0, "rows": len(frame)}))
"""


@dataclass(frozen=True, slots=True)
class Run:
    seconds: float
    peak_mb: int
    rows: int


def rows(*, count: int = ROWS, csv_count: int = CSV_ROWS, rounds: int = ROUNDS) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder:
        home = Path(folder)
        book = home / "month.xlsx"
        workbooks.write_month(book, count)
        pairs = [(measured("iterate", book), imported(home, book)) for _ in range(rounds)]
        ratio = statistics.median(ours.seconds / bare.seconds for bare, ours in pairs)
        what = f"import {count:,} × {workbooks.WIDTH} XLSX"
        text = f"calamine {pairs[-1][0].seconds:.1f} s, the import {pairs[-1][1].seconds:.1f} s in the last round"
        yield Row("P4", what, ratio, 4.0, "iterating by calamine", is_ceiling=True, remarks=(text,))
        yield from _against_pandas(book, what, pairs[-1][1])
        peak = max(ours.peak_mb for _, ours in pairs)
        yield Row("P6", f"peak memory of that import ({pairs[0][0].peak_mb} MB to iterate)", peak, 400, is_ceiling=True,
                  unit=" MB")  # fmt: skip
        book.unlink()
        sheet = home / "year.csv"
        workbooks.write_year(sheet, csv_count)
        ours = imported(home, sheet)
        yield Row("P6", f"peak memory of importing {csv_count:,} rows of CSV", ours.peak_mb, 250, is_ceiling=True,
                  unit=" MB", remarks=(f"{ours.rows:,} rows in {ours.seconds:.0f} s",))  # fmt: skip


def _against_pandas(book: Path, what: str, ours: Run) -> Iterator[Row]:
    if not BENCH_PYTHON.exists():
        print("P5  not measured: the environment with pandas is missing")
        return
    theirs = run([str(BENCH_PYTHON), "-c", PANDAS, str(book)], {})
    yield Row("P5", what, ours.seconds / theirs.seconds, 0.35, "reading by pandas and openpyxl", is_ceiling=True)


def imported(home: Path, file: Path) -> Run:
    """Run a whole import into a new ledger, started below `home`."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        settings = {"FATURISTA_PATHS__HOME": folder, "FATURISTA_LIMITS__ROWS": str(1_048_576)}
        return measured("import", file, settings | {"FATURISTA_LIMITS__FILE_BYTES": str(1_000_000_000)})


def measured(what: str, file: Path, settings: dict[str, str] | None = None) -> Run:
    return run([sys.executable, "-m", "tests.load.importing", what, str(file)], settings or {})


def run(command: list[str], settings: dict[str, str]) -> Run:
    """Run a program. Return its own measurements."""
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **settings}, check=False, timeout=1_800
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    return Run(**json.loads(done.stdout.splitlines()[-1]))
