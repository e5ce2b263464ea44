"""Write the overview page: what waits for whom, what came back, what stopped, the last error, the months so far."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from connectors.ledger.alerts import RUN_FAILED, Alert, open_alerts
from connectors.ledger.observations.situation import MonthSoFar, months_so_far
from connectors.spreadsheets.writers.pages import Page, Section
from domain.competence import BRASILIA, format_competence
from domain.money import format_brl
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.runtime import PLAYGROUND, Context
from tasks.views.dashboard import BATCH_HEADINGS, UNENDED, approval_line, batch_cells, catalogue_markdown, count_running
from tasks.views.markdown import MarkdownText, escape_code, markdown
from tasks.views.sections import section
from tasks.views.status import BatchView, Overview, overview
from tasks.views.who_acts import awaits_approval

LONGEST: Final = 50
"""Largest number of lines on the page. The limits below keep it; a test counts."""
_ROWS: Final = 4
_NOTICES: Final = 3
_APPROVAL_HEADINGS: Final = ("batch", "file", "emitter", "competence", "waits_for", "count", "total")
_UNENDED_NOTES: Final = frozenset(InvoiceState) - {
    InvoiceState.ACCEPTED, InvoiceState.REJECTED, InvoiceState.REFUSED, InvoiceState.CANCELLED,
    InvoiceState.REPLACED, InvoiceState.DELETED, InvoiceState.RETIRED,
}  # fmt: skip


def overview_markdown(context: Context, rows: Sequence[Problem]) -> str:
    """Return the page as Markdown, at most `LONGEST` lines, without a timestamp: without news it stays the same.

    `rows` are the problems of rows that wait for a person (`tasks.corrections.waiting_rows`).
    """
    words, seen = context.catalogue, overview(context, states=UNENDED)
    failed = context.ledger.read(open_alerts, RUN_FAILED)
    return markdown(
        Page(
            title=words.text("situation.title", profile=context.settings.name),
            lines=tuple(_lines(context, seen, rows, failed)),
            alarms=(*_say_first(context, rows, _ROWS), *_say_first(context, seen.notices, _NOTICES)),
            sections=(_incidents(context, seen), _approvals_section(context, seen)),
            lists=(),
        )
    )


def _lines(context: Context, seen: Overview, rows: Sequence[Problem], failed: Sequence[Alert]) -> Iterator[str]:
    words = context.catalogue
    waiting = [view.batch for view in seen.batches if awaits_approval(context, view.batch)]
    if waiting:
        yield approval_line(context, waiting)
    if seen.incidents:
        yield catalogue_markdown(words, "board.incidents_wait", count=len(seen.incidents))
    if rows:
        yield catalogue_markdown(words, "situation.rows", count=sum(int(each.params["count"]) for each in rows))
    if not (seen.incidents or waiting or rows):
        yield words.text("board.nobody_waits")
    elif context.settings.name != PLAYGROUND:
        yield catalogue_markdown(words, "board.profile", profile=escape_code(context.settings.name))
    going = count_running(seen)
    if going:
        yield words.text("board.going_on", count=going)
    if months := context.ledger.read(months_so_far, _months(context)):
        yield " · ".join(_month(context, each) for each in months)
    if failed:
        yield _failure(context, failed[-1])
    yield MarkdownText(f"[{words.text('situation.all')}](/artifacts)")


def _months(context: Context) -> tuple[date, date]:
    """Return the first day of this month and of the one before, in Brazil."""
    this = context.clock().astimezone(BRASILIA).date().replace(day=1)
    before = this.replace(year=this.year - 1, month=12) if this.month == 1 else this.replace(month=this.month - 1)
    return this, before


def _month(context: Context, month: MonthSoFar) -> str:
    return context.catalogue.text(
        "situation.month",
        month=format_competence(month.competence),
        accepted=month.states.get(InvoiceState.ACCEPTED, 0),
        total=format_brl(month.accepted_cents),
        rejected=month.states.get(InvoiceState.REJECTED, 0) + month.states.get(InvoiceState.REFUSED, 0),
        going=sum(count for state, count in month.states.items() if state in _UNENDED_NOTES),
    )


def _failure(context: Context, alert: Alert) -> str:
    words = context.catalogue
    at = alert.raised_at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    return words.text(
        "situation.failed", flow=alert.subject, at=at, reason=words.say(Problem(alert.code, params=alert.params))
    )


def _say_first(context: Context, problems: Sequence[Problem], most: int) -> Iterator[str]:
    """Yield the sentences of at most `most` problems, and the number of the omitted ones."""
    yield from map(context.catalogue.say, problems[:most])
    yield from _left_out(context, len(problems) - most)


def _left_out(context: Context, count: int) -> Iterator[str]:
    if count > 0:
        yield context.catalogue.text("list.more", more=count)


def _shorten_section(
    context: Context, title: str, headings: Sequence[str], rows: Sequence[tuple[str | int, ...]]
) -> Section:
    """Return a section with the first rows, and the number of the omitted ones in its note."""
    note = " ".join(_left_out(context, len(rows) - _ROWS))
    return section(context.catalogue, title, headings, rows[:_ROWS], note=note)


def _incidents(context: Context, seen: Overview) -> Section:
    words = context.catalogue
    problems = [(each.batch_id, Problem(each.code, params=each.params)) for each in seen.incidents]
    rows = [("-" if batch is None else str(batch), words.what(each), words.advice(each)) for batch, each in problems]
    return _shorten_section(context, "board.incidents", ("batch", "reason", "to_do"), rows)


def _approvals_section(context: Context, seen: Overview) -> Section:
    waiting = [view for view in seen.batches if awaits_approval(context, view.batch)]
    rows = [_cells(context, view) for view in waiting]
    return _shorten_section(context, "situation.approvals", _APPROVAL_HEADINGS, rows)


def _cells(context: Context, view: BatchView) -> tuple[str | int, ...]:
    cells = dict(zip(BATCH_HEADINGS, batch_cells(context.catalogue, view), strict=True))
    return tuple(str(cells[name]) for name in _APPROVAL_HEADINGS)
