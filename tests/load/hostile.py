"""Measure the time and the memory of the refusal of files that were made to exhaust their reader.

A separate process checks each file with a new installation's settings, before anything of the file is stored.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final

from connectors.spreadsheets.formats.sheets import Limits
from connectors.spreadsheets.reading.job import read
from domain.problems import InputError
from tasks.runtime import open_context
from tasks.runtime.file_bytes import limits_of
from tasks.stations.read import open_file
from tasks.stations.reading_options import ReadingOptions
from tests.connectors.spreadsheets.hostile import hostile
from tests.load.table import Row

SECONDS, MEGABYTES = 2, 500
ROOT: Final = Path(__file__).parents[2]
SHOWN: Final = {
    "bomb.xlsx": "a zip bomb of 200 MB",
    "lying.xlsx": "a part of 100 MB that says it has 300 bytes",
    "entities.xlsx": "an XML entity bomb",
    "blank.xlsx": "a million blank formatted rows",
    "text.xlsx": "one text of 32,767 characters in 50,000 cells",
    "long.xlsx": "4,000 texts of 32,767 characters",
    "far.xlsx": "a cell at the far end of the sheet",
    "open.xlsx": "three million cells that never end",
    "merged.xlsx": "a merge over every row",
    "digits.xlsx": "an address with twenty digits",
    "paths.xlsx": "parts and links that lead out of the file",
    "control.csv": "a CSV of control characters",
    "rows.ods": "50,001 full rows of ODS",
    "blank.csv": "a CSV of three million blank lines",
}


def rows(shown: dict[str, str] | None = None) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder:
        home = Path(folder)
        asked = SHOWN if shown is None else shown
        for name, _, made in hostile():
            if name in asked:
                (home / name).write_bytes(made())
                yield from _judged(home, home / name, asked[name])
        changing = home / "changing.xlsx"
        # A pipe certainly gives more than its stated size.
        os.mkfifo(changing)
        writer = Thread(target=changing.write_bytes, args=(b"half a workbook",))
        writer.start()
        yield from _judged(home, changing, "a file that changes while it is read")
        writer.join()


def _judged(home: Path, path: Path, what: str) -> Iterator[Row]:
    seconds, peak_mb, code = checked(home, path)
    yield Row("", what, seconds, SECONDS, f"refused: {code}", is_ceiling=True, unit=" s")
    yield Row("", "", peak_mb, MEGABYTES, is_ceiling=True, unit=" MB")


def checked(home: Path, path: Path) -> tuple[float, int, str]:
    """Return seconds, the peak of memory in MB, and the problem's code."""
    command = [sys.executable, "-m", "tests.load.hostile", str(path)]
    settings = {**os.environ, "FATURISTA_PATHS__HOME": str(home / "context")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=settings, check=False, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    seconds, peak_mb, code = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak_mb, code


def _read_again(path: Path, limits: Limits) -> None:
    """Repeat the guarded process's work here, so that its memory shows in the peak."""
    with tempfile.TemporaryFile() as spool, suppress(InputError):
        if path.is_file():
            read(path.read_bytes(), {"name": path.name, "limits": limits.to_json()}, spool)


def main() -> None:
    with open_context("local") as context:
        start = time.perf_counter()
        try:
            open_file(context, Path(sys.argv[1]), ReadingOptions(operator="bench"))
            code = "nothing"
        except InputError as error:
            code = error.problem.code
        seconds = time.perf_counter() - start
        _read_again(Path(sys.argv[1]), limits_of(context))
    # The kernel's own high-water mark of this process.
    line = next(line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith("VmHWM"))
    print(json.dumps([seconds, int(line.split()[1]) // 1024, code]))


if __name__ == "__main__":
    main()
