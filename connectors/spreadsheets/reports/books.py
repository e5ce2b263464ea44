"""Write the reports about paid invoices and orders, completely or not at all; equal reports give equal bytes."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from connectors.spreadsheets.reports.columns import (
    MONTH,
    ORDER_AMOUNT,
    PAID_TOTAL,
    PLAN,
    STATUS,
    Column,
    order_columns,
    paid_columns,
)
from connectors.spreadsheets.reports.delimited import write_lines
from connectors.spreadsheets.reports.lines import FIRST_LINE, LAST_ROW, LinesPage
from connectors.spreadsheets.reports.summary import Figure, Matrix, Summary, SummaryPage
from connectors.spreadsheets.writers.safe_files import open_book, write_atomically
from connectors.spreadsheets.writers.styles import COLOURS, Styles
from domain.competence import BRASILIA
from domain.orders.orders import ORDER_STATUSES, OrderStatus
from domain.orders.reports import OrdersReport, PaidReport
from domain.problems import FaturistaError, Problem

R = TypeVar("R")

_PALETTE: Final = ("#2E5C9A", "#2E7D4F", "#E0A030", "#7B4FB5", "#C23B3B", "#3B9CA8", "#9AA3B2", "#80560B")
_STATUS_COLOURS: Final[dict[OrderStatus, str]] = {
    "active": COLOURS["accepted"][0],
    "unpaid": COLOURS["rejected"][0],
    "trial": COLOURS["waiting"][0],
    "expired": COLOURS["refused"][0],
    "inactive": COLOURS["repeated"][0],
    "gone": COLOURS["cancelled"][0],
}
MOST_LINES: Final = LAST_ROW - FIRST_LINE + 1


def write_paid(path: Path, report: PaidReport, *, most_lines: int = MOST_LINES) -> None:
    """Write the report to `path`: with suffix `.csv` the lines as CSV, else XLSX.

    Raises `FaturistaError` for a report too long for a page.
    """
    _refuse_too_many(path, len(report.invoices), most_lines)
    columns = paid_columns(report.labels, report.words)
    _write(path, report, report.invoices, columns, lambda span: _paid_summary(report, span))


def write_orders(path: Path, report: OrdersReport, *, most_lines: int = MOST_LINES) -> None:
    """Write the report about orders, like `write_paid`."""
    _refuse_too_many(path, len(report.orders), most_lines)
    columns = order_columns(report.labels, report.words)
    _write(path, report, report.orders, columns, lambda span: _orders_summary(report, span))


def _write(
    path: Path,
    report: PaidReport | OrdersReport,
    lines: Sequence[R],
    columns: Sequence[Column[R]],
    summarise: Callable[[Callable[[str], str]], Summary],
) -> None:
    words = report.words

    def fill(partial: Path) -> None:
        if path.suffix == ".csv":
            write_lines(partial, columns, lines, words)
            return
        book = open_book(partial, words["title"], made_at=report.made_at, comments=report.digest)
        styles = Styles(book)
        summary = SummaryPage(book, styles, words)
        page = LinesPage(book, styles, columns=columns, lines=lines, words=words, printed=11)
        summary.write(summarise(page.span))
        page.write()
        book.close()

    write_atomically(path, fill)


def _paid_summary(report: PaidReport, span: Callable[[str], str]) -> Summary:
    total = sum(each.total_cents for each in report.totals)
    count = sum(each.count for each in report.totals)
    words, since = report.words, report.since.astimezone(BRASILIA)
    return Summary(
        words=words,
        facts=[f"{words['since']} {since:%d/%m/%Y}", *_facts(words, report.made_at, report.digest)],
        figures=(
            Figure("figure_total", total, is_amount=True, colour=_PALETTE[1]),
            Figure("figure_count", count, is_amount=False, colour=_PALETTE[0]),
            Figure(
                "figure_average", (2 * total + count) // (2 * count) if count else 0, is_amount=True, colour=_PALETTE[0]
            ),
            Figure(
                "figure_adjusted",
                sum(each.adjusted_cents for each in report.totals),
                is_amount=True,
                colour=_PALETTE[2],
            ),
        ),
        matrix=Matrix(
            rows=report.months,
            columns=[(label, _PALETTE[n % len(_PALETTE)]) for n, label in enumerate(report.labels.values())],
            sums={
                (each.month, report.labels[each.plan_slug]): (each.count, each.total_cents) for each in report.totals
            },
            row_cells=span(MONTH),
            column_cells=span(PLAN),
            amount_cells=span(PAID_TOTAL),
        ),
        warnings=report.warnings,
    )


def _orders_summary(report: OrdersReport, span: Callable[[str], str]) -> Summary:
    words = report.words
    counts: dict[OrderStatus, int] = dict.fromkeys(ORDER_STATUSES, 0)
    for total in report.totals:
        counts[total.status] += total.count
    monthly = sum(each.amount_cents for each in report.totals if each.status == "active")
    shown = [status for status in ORDER_STATUSES if counts[status]]
    return Summary(
        words=words,
        facts=_facts(words, report.made_at, report.digest),
        figures=(
            Figure("figure_monthly", monthly, is_amount=True, colour=_STATUS_COLOURS["active"]),
            Figure("figure_active", counts["active"], is_amount=False, colour=_STATUS_COLOURS["active"]),
            Figure("figure_unpaid", counts["unpaid"], is_amount=False, colour=_STATUS_COLOURS["unpaid"]),
            Figure("figure_trial", counts["trial"], is_amount=False, colour=_STATUS_COLOURS["trial"]),
        ),
        matrix=Matrix(
            rows=list(report.labels.values()),
            columns=[(words[status], _STATUS_COLOURS[status]) for status in shown],
            sums={
                (report.labels[each.plan_slug], words[each.status]): (each.count, each.amount_cents)
                for each in report.totals
            },
            row_cells=span(PLAN),
            column_cells=span(STATUS),
            amount_cells=span(ORDER_AMOUNT),
            chart_counts=True,
        ),
        warnings=report.warnings,
    )


def _facts(words: Mapping[str, str], made_at: datetime, digest: str) -> list[str]:
    local = made_at.astimezone(BRASILIA)
    return [f"{words['as_of']} {local:%d/%m/%Y %H:%M} ({words['brasilia']})", f"SHA-256 {digest[:12]}…"]


def _refuse_too_many(path: Path, lines: int, most: int) -> None:
    if path.suffix != ".csv" and lines > most:
        raise FaturistaError(Problem("report.too_many_lines", params={"lines": lines, "most": most}))
