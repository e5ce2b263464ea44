"""Write the page of a run for the dashboard: what waits for whom, what continues without a person, what was done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from configs.catalogue import Catalogue
from connectors.ledger import files as ledger_files
from connectors.ledger.batches import BatchRecord
from connectors.spreadsheets.writers.pages import Cell, Cents, Page, Section
from domain.competence import BRASILIA, format_competence
from domain.disk_faults import in_words
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import StationResult, Subject
from tasks.runtime import PLAYGROUND, Context
from tasks.views.markdown import MarkdownText, escape_code, escape_markdown, markdown
from tasks.views.sections import section
from tasks.views.status import BatchView, Overview, overview
from tasks.views.who_acts import awaits_approval

SITUATION: Final = "situacao"
"""Key of the overview page. People keep its address, so the key never changes."""
BATCH_HEADINGS: Final = (
    "batch", "file", "kind", "emitter", "competence", "state", "waits_for", "count", "total", "notes",
)  # fmt: skip
# Put first what people search for first: the dashboard cuts a wide table off at the right.
_NARROW: Final = ("batch", "state", "waits_for", "notes", "count", "total", "emitter", "competence", "file", "kind")
ENDED: Final = frozenset({BatchState.PROCESSED, BatchState.DISCARDED})
UNENDED: Final = frozenset(BatchState) - ENDED
"""The states of an unfinished batch."""
FIRST: Final = (BatchState.DISTURBED, BatchState.STAGED)
_OUTCOMES: Final = (InvoiceState.ACCEPTED, InvoiceState.REJECTED)
_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class ReturnedRows:
    """Rows of one file that need a correction: their count, their invoice numbers if any, and the advice."""

    file_name: str
    count: int
    numbers: str
    mend: str


def run_page_markdown(
    context: Context,
    results: Sequence[StationResult],
    errors: Sequence[Exception] = (),
    *,
    returned: Sequence[ReturnedRows] = (),
    reading_id: int | None = None,
) -> str:
    """Return the page after a run as Markdown: all unfinished batches, or every batch of a reading.

    `returned` are the rows and invoices that the run returned for correction.
    """
    seen = overview(context, reading_id, states=UNENDED if reading_id is None else None)
    return markdown(_page(context, seen, results, errors, returned))


def failure_markdown(words: Catalogue, error: Exception, *, profile: str, at: datetime) -> str:
    """Return the page of a run that failed as Markdown: the reason, and what to do."""
    title = _title(words, at, profile)
    lines = (MarkdownText(words.text("board.stopped")), _link(words))
    return markdown(Page(title, lines, tuple(say_errors(words, [error])), (), ()))


def _link(words: Catalogue) -> MarkdownText:
    """Return the link to the overview page."""
    return MarkdownText(f"[{words.text('situation.link')}](/artifacts/key/{SITUATION})")


def _page(
    context: Context,
    seen: Overview,
    results: Sequence[StationResult],
    errors: Sequence[Exception],
    returned: Sequence[ReturnedRows],
) -> Page:
    """Compose the page, with a person's tasks first."""
    words = context.catalogue
    return Page(
        title=_title(words, context.clock(), context.settings.name),
        lines=(*_lines(context, seen, results, returned), _link(words)),
        alarms=(*(words.say(notice) for notice in seen.notices), *say_errors(words, errors)),
        sections=(
            _incidents(words, seen),
            _returned_section(words, returned),
            _batches(words, seen),
            _steps(words, results),
        ),
        lists=(),
    )


def _title(words: Catalogue, at: datetime, profile: str) -> str:
    return words.text("board.title", at=at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M"), profile=profile)


def batch_cells(words: Catalogue, view: BatchView) -> tuple[Cell, ...]:
    """Return the cells of a batch in the order of `BATCH_HEADINGS`."""
    batch = view.batch
    return (
        str(batch.id),
        view.file_name,
        words.text(f"kind.{batch.kind}"),
        view.emitter_name,
        format_competence(batch.competence),
        words.text(f"state.batch.{batch.state.value}"),
        view.waits_for,
        batch.count,
        Cents(batch.total_cents),
        ", ".join(f"{words.text(f'state.invoice.{state.value}')} {count}" for state, count in view.notes.items()),
    )


def say_subject(words: Catalogue, subject: Subject) -> str:
    """Return the subject of a result, such as "batch 17", in the person's language."""
    entity = words.text(f"entity.{subject.entity}")
    return entity if subject.key is None else f"{entity} {subject.key}"


def say_counts(words: Catalogue, result: StationResult) -> str:
    """Return counts such as "12 enviadas, 1 recusada". Zeros are shown only if every count is zero."""
    found = {word: count for word, count in result.counts.items() if count} or result.counts
    return ", ".join(f"{words.text(f'tally.{word}')} {count}" for word, count in found.items())


def say_errors(words: Catalogue, errors: Sequence[Exception]) -> Iterator[str]:
    """Yield sentences about the errors that stopped a run or a part of it, and what to do."""
    for error in map(in_words, errors):
        if isinstance(error, ExceptionGroup):
            yield from say_errors(words, error.exceptions)
        elif isinstance(error, FaturistaError):
            yield from words.explain(error)
        else:
            yield words.say(Problem("board.unforeseen", params={"kind": type(error).__name__}))


def _lines(
    context: Context, seen: Overview, results: Sequence[StationResult], returned: Sequence[ReturnedRows]
) -> Iterator[str]:
    words = context.catalogue
    waiting = [view.batch for view in seen.batches if awaits_approval(context, view.batch)]
    if seen.incidents:
        yield catalogue_markdown(words, "board.incidents_wait", count=len(seen.incidents))
    if waiting:
        yield approval_line(context, waiting)
    if returned:
        yield catalogue_markdown(words, "board.returned_wait", count=sum(each.count for each in returned))
    if not (seen.incidents or waiting or returned):
        yield words.text("board.nothing_waits")
    elif context.settings.name != PLAYGROUND:
        yield catalogue_markdown(words, "board.profile", profile=escape_code(context.settings.name))
    going = count_running(seen)
    if going:
        yield words.text("board.going_on", count=going)
    ended = {state: sum(result.counts.get(str(state), 0) for result in results) for state in _OUTCOMES}
    if any(ended.values()):
        yield words.text("board.ended", **{str(state): count for state, count in ended.items()})


def count_running(seen: Overview) -> int:
    """Return how many batches go on without a person."""
    waiting = {view.batch.id for view in seen.batches if view.batch.state in FIRST}.union(seen.suspended)
    return sum(view.batch.state not in ENDED and view.batch.id not in waiting for view in seen.batches)


def approval_line(context: Context, waiting: Sequence[BatchRecord]) -> str:
    """Return a sentence about the batches that wait for approval and, with four eyes, who must not approve them."""
    words, total = context.catalogue, format_brl(sum(batch.total_cents for batch in waiting))
    line = catalogue_markdown(words, "board.approval_waits", count=len(waiting), total=total)
    if not context.settings.approval.four_eyes:
        return line
    readings = (context.ledger.read(ledger_files.reading_of, each) for each in {batch.reading_id for batch in waiting})
    persons = ", ".join(sorted({person for reading in readings for person in reading.droppers}))
    return MarkdownText(f"{line} {catalogue_markdown(words, 'board.four_eyes', persons=escape_markdown(persons))}")


def catalogue_markdown(words: Catalogue, code: str, **params: str | int) -> MarkdownText:
    """Return a catalogue text that contains Markdown. The caller must escape parameters that people wrote."""
    return MarkdownText(words.text(code, **params))


def _incidents(words: Catalogue, seen: Overview) -> Section:
    problems = [(each.batch_id, Problem(each.code, params=each.params)) for each in seen.incidents]
    rows = [("" if batch is None else str(batch), words.what(each), words.advice(each)) for batch, each in problems]
    return section(
        words, "board.incidents", ("batch", "reason", "to_do"), rows, note=MarkdownText(words.text("board.decide"))
    )


def _returned_section(words: Catalogue, returned: Sequence[ReturnedRows]) -> Section:
    rows = [(each.file_name, each.count, each.numbers, each.mend) for each in returned]
    return section(words, "board.returned", ("file", "count", "numbers", "to_do"), rows)


def _batches(words: Catalogue, seen: Overview) -> Section:
    views = sorted(seen.batches, key=lambda view: (view.batch.state not in FIRST, view.batch.id))
    cells = [dict(zip(BATCH_HEADINGS, batch_cells(words, view), strict=True)) for view in views[:_SHOWN]]
    rows = [tuple(each[name] for name in _NARROW) for each in cells]
    note = words.text("list.more", more=len(views) - _SHOWN) if len(views) > _SHOWN else ""
    return section(words, "board.batches", _NARROW, rows, note=note)


def _steps(words: Catalogue, results: Sequence[StationResult]) -> Section:
    rows = [
        (
            words.text(f"station.{result.station}"),
            say_subject(words, result.subject),
            words.text(f"ending.{result.ending.value}"),
            say_counts(words, result),
            " ".join(words.say(remark) for remark in result.remarks),
        )
        for result in results
    ]
    return section(words, "board.steps", ("station", "subject", "ending", "counts", "remarks"), rows)
