"""Do one import, or one bare pass over the same file, in a separate process: its seconds and its peak of memory."""

import json
import sys
import time
from pathlib import Path

import python_calamine

from connectors.ledger import rows as ledger_rows
from tasks.runtime import open_context
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions


def iterate(path: Path) -> tuple[float, int]:
    """Iterate the file by calamine: the least cost of any reader."""
    start = time.perf_counter()
    count = sum(1 for _ in python_calamine.CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).iter_rows())
    return time.perf_counter() - start, count


def take_in(path: Path) -> tuple[float, int]:
    """Take the file in and read it into the environment's ledger."""
    with open_context("local") as context:
        start = time.perf_counter()
        reading, _ = read_file(context, archive_file(context, path), ReadingOptions(operator="bench"))
        spent = time.perf_counter() - start
        return spent, sum(context.ledger.read(ledger_rows.count_rows, reading).values())


def main() -> None:
    what, path = sys.argv[1], Path(sys.argv[2])
    seconds, rows = (iterate if what == "iterate" else take_in)(path)
    # The kernel's own high-water mark of this process.
    line = next(line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"seconds": seconds, "peak_mb": int(line.split()[1]) // 1024, "rows": rows}))


if __name__ == "__main__":
    main()
