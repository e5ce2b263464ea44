"""P17: a million invoices as frames and as the report of a closed month, beside a bare `read_sql` of the same columns.

Each run is a process of its own, on one ledger that is filled by SQL: every invoice accepted, with its line in the
journal.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pandas as pd
import sqlalchemy as sa

from connectors.ledger import closings, tables
from connectors.ledger.closings import Closing
from connectors.ledger.migrations.triggers import disable_guards
from connectors.ledger.observations.table_pages import TABLES
from connectors.ledger.tables.journals import BLOCK
from tasks.closing.reports import write_reports
from tasks.frames import chunks, frame, read_chunks
from tasks.runtime import Context, open_context
from tests.load import workload
from tests.load.sheets import Run, run
from tests.load.table import Row

INVOICES: Final = 1_000_000
MOST_MB: Final = 400
_GIVEN: Final = {
    "number": "n",
    "remote_id": "n",
    "origin_id": "NULL",
    "business_key": "'key ' || n",
    "state": "'accepted'",
}


def rows(*, count: int = INVOICES) -> Iterator[Row]:
    """Take about five minutes."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder:
        measured("fill", folder, count)
        bare, whole, parts, report = (measured(way, folder, count) for way in ("bare", "frame", "chunks", "report"))
    against = "read_sql of the same columns"
    text = f"{bare.seconds:.0f} s and {bare.peak_mb} MB barely, {whole.seconds:.0f} s and {whole.peak_mb} MB as a frame"
    yield Row("P17", f"a frame of {count:,} invoices", whole.seconds / bare.seconds, 3, against, is_ceiling=True,
              remarks=(text,))  # fmt: skip
    for what, ours in (("frames in parts", parts), ("the reports of a closed month", report)):
        expected = (f"{ours.seconds:.0f} s",)
        yield Row("P17", f"peak memory of {what}", ours.peak_mb, MOST_MB, is_ceiling=True, unit=" MB", remarks=expected)


def measured(way: str, folder: str, count: int) -> Run:
    settings = {"FATURISTA_PATHS__HOME": folder, "FATURISTA_LANGUAGE": "en"}
    return run([sys.executable, "-m", "tests.load.closing", way, str(count)], settings)


def fill(conn: sa.Connection, count: int) -> None:
    """Draft one invoice like the line, and copy it by SQL for the others, without triggers."""
    workload.plan(conn, name="closing", count=1, batch_size=1)
    columns = [column.name for column in tables.invoices.c if column.name != "id"]
    taken = ", ".join(_GIVEN.get(name, f'invoices."{name}"') for name in columns)
    listed = ", ".join(f'"{name}"' for name in columns)
    with disable_guards(conn):
        conn.exec_driver_sql("UPDATE invoices SET state = 'accepted', remote_id = 1")
        conn.exec_driver_sql("UPDATE batches SET state = 'processed', remote_id = 1")
        conn.exec_driver_sql(
            f"WITH RECURSIVE counted(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < {count})"
            f" INSERT INTO invoices ({listed}) SELECT {taken} FROM counted, invoices WHERE invoices.id = 1"
        )
        conn.exec_driver_sql(
            "INSERT INTO events (entity, block, first_id, last_id, was, becomes, because, is_observed, at)"
            f" SELECT 'invoice', id / {BLOCK}, min(id), max(id), 'processing', 'accepted', 'bench', 1, 1 FROM invoices"
            f" GROUP BY id / {BLOCK}"
        )
    closings.close(conn, workload.MONTH, person="bench")


def bare(context: Context, _folder: Path) -> int:
    def read(conn: sa.Connection) -> int:
        return len(pd.read_sql(TABLES["invoices"](conn, None, None)[0], conn))

    return context.ledger.read(read)


def whole(context: Context, _folder: Path) -> int:
    return len(frame(context, "invoices"))


def parts(context: Context, _folder: Path) -> int:
    return read_chunks(context, lambda pages: sum(len(part) for part in chunks(pages, "invoices")))


def report(context: Context, folder: Path) -> int:
    closing = context.ledger.read(closings.closing_of, workload.MONTH)
    assert isinstance(closing, Closing)
    write_reports(context, closing, folder)
    return 0


WAYS: Final[dict[str, Callable[[Context, Path], int]]] = {
    "bare": bare, "frame": whole, "chunks": parts, "report": report,
}  # fmt: skip


def main(way: str, count: int) -> None:
    with open_context("local") as context:
        start = time.perf_counter()
        if way == "fill":
            context.ledger.write(fill, count)
            found = 0
        else:
            found = WAYS[way](context, context.outbox)
        spent = time.perf_counter() - start
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak_mb = int(status.partition("VmHWM:")[2].split()[0]) // 1_024
    print(json.dumps({"seconds": spent, "peak_mb": peak_mb, "rows": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
