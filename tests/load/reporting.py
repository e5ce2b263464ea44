"""P10: the cost of styles, sums and a chart in a long report, beside the same cells written plainly.

Each run is a separate process, so that its time and its peak of memory are its own. Both have the same lines in memory
before the clock starts.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import xlsxwriter

from configs.catalogue import Catalogue
from connectors.spreadsheets.reports.books import write_paid
from connectors.spreadsheets.reports.columns import paid_columns
from domain.orders.paid_invoices import PaidInvoice, Redeemed, digest_of, total_by_month
from domain.orders.reports import PaidReport
from tests.load.sheets import Run, run
from tests.load.table import Row

LINES: Final = 100_000
ROUNDS: Final = 3
_SINCE: Final = datetime(2020, 1, 1, 3, tzinfo=UTC)
_MADE_AT: Final = datetime(2026, 11, 20, 12, tzinfo=UTC)
_LABELS: Final = {"essencial": "Essencial", "profissional": "Profissional"}


def rows(*, count: int = LINES, rounds: int = ROUNDS) -> Iterator[Row]:
    """Measure for about two minutes."""
    with tempfile.TemporaryDirectory(prefix="faturista-bench-") as folder:
        pairs = [tuple(measured(way, Path(folder), count) for way in ("bare", "report")) for _ in range(rounds)]
    ratio = statistics.median(ours.seconds / bare.seconds for bare, ours in pairs)
    bare, ours = pairs[-1]
    text = f"{bare.seconds:.1f} s plainly, {ours.seconds:.1f} s as the report in the last round"
    what = f"a report of {count:,} lines, styles and chart"
    yield Row("P10", what, ratio, 1.3, "the same cells by xlsxwriter", is_ceiling=True, remarks=(text,))
    peak = max(ours.peak_mb for _, ours in pairs)
    yield Row("P10", f"peak memory of that ({bare.peak_mb} MB plainly)", peak, 150, is_ceiling=True, unit=" MB")


def measured(way: str, folder: Path, count: int) -> Run:
    return run([sys.executable, "-m", "tests.load.reporting", way, str(folder / f"{way}.xlsx"), str(count)], {})


def _invoice(number: int) -> PaidInvoice:
    paid_at = _SINCE + timedelta(minutes=30 * number)
    return PaidInvoice(
        plan_slug="essencial" if number % 3 else "profissional",
        number=number,
        plan_name="Essencial",
        order_number=number % 900 + 1,
        client_name=f"Padaria Estrela do Mar {number % 900} Ltda",
        client_document=f"99{number % 900:06d}000100",
        payment_method="boleto",
        amount_cents=8_990,
        total_cents=9_990 if number % 10 == 0 else 8_990,
        adjustments=(Redeemed(1_000, "Usuário adicional"),) if number % 10 == 0 else (),
        created_at=paid_at,
        paid_at=paid_at,
        charge_on=date(2020, 1, 5),
    )


def _report(count: int) -> PaidReport:
    catalogue = Catalogue.load()
    invoices = tuple(_invoice(number) for number in range(1, count + 1))
    return PaidReport(
        since=_SINCE,
        made_at=_MADE_AT,
        labels=_LABELS,
        invoices=invoices,
        totals=total_by_month(invoices),
        digest=digest_of(invoices),
        words={**catalogue.words("report"), **catalogue.words("report_paid")},
    )


def write_plainly(path: Path, report: PaidReport) -> None:
    """Write the lines' cells in the library's fastest way, without any format."""
    columns = paid_columns(report.labels, report.words)
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for at, line in enumerate(report.invoices):
            for index, cell in enumerate(_cells(columns, line)):
                if isinstance(cell, str):
                    sheet.write_string(at, index, cell)
                elif cell is not None:
                    sheet.write_number(at, index, cell)


def _cells(columns: Sequence[Any], line: PaidInvoice) -> Iterator[str | float | None]:
    for column in columns:
        value = column.value(line)
        if isinstance(value, datetime):
            yield value.timestamp() / 86_400 + 25_569
        elif isinstance(value, date):
            yield float(value.toordinal() - 693_594)
        else:
            yield value / 100 if column.kind == "money" else value


def main(way: str, path: Path, count: int) -> None:
    report = _report(count)
    start = time.perf_counter()
    (write_paid if way == "report" else write_plainly)(path, report)
    spent = time.perf_counter() - start
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak_mb = int(status.partition("VmHWM:")[2].split()[0]) // 1_024
    print(json.dumps({"seconds": spent, "peak_mb": peak_mb, "rows": len(report.invoices)}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
