"""What a run leaves on the dashboard: what waits for whom, what goes on by itself and what it did, on one page."""

from collections.abc import Iterator, Sequence
from typing import Final

from configs.catalogue import Catalogue
from connectors.spreadsheets.pages import Cell, Cents, Page, Section
from domain.competence import BRASILIA, format_competence
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.states import BatchState, InvoiceState
from domain.tallies import Tally
from tasks.runtime import Desk
from tasks.views.markdown import markdown
from tasks.views.status import BatchView, Overview, overview

BATCH_HEADINGS: Final = ("batch", "kind", "emitter", "competence", "state", "count", "total", "notes")
# What is looked for first stands first: the dashboard cuts a wide table off at the right.
_NARROW: Final = ("batch", "state", "count", "total", "emitter", "competence", "kind", "notes")
_ENDED: Final = frozenset({BatchState.PROCESSED, BatchState.DISCARDED})
_UNENDED: Final = frozenset(BatchState) - _ENDED
_FIRST: Final = (BatchState.DISTURBED, BatchState.STAGED)
_OUTCOMES: Final = (InvoiceState.ACCEPTED, InvoiceState.REJECTED)
_SHOWN: Final = 50


def board_markdown(
    desk: Desk, tallies: Sequence[Tally], errors: Sequence[Exception] = (), *, reading_id: int | None = None
) -> str:
    """The page after a run: of all batches that have not ended, or of those of a reading, ended or not."""
    seen = overview(desk, reading_id, states=_UNENDED if reading_id is None else None)
    return markdown(board_page(desk, seen, tallies, errors))


def board_page(desk: Desk, seen: Overview, tallies: Sequence[Tally], errors: Sequence[Exception] = ()) -> Page:
    """What a person has to do stands first."""
    words = desk.catalogue
    at = desk.clock().astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    return Page(
        title=words.text("board.title", at=at),
        lines=tuple(_lines(words, seen, tallies)),
        alarms=(*(words.say(notice) for notice in seen.notices), *_failures(words, errors)),
        sections=(_incidents(words, seen), _batches(words, seen), _steps(words, tallies)),
        lists=(),
    )


def batch_cells(words: Catalogue, view: BatchView) -> tuple[Cell, ...]:
    """A batch under `BATCH_HEADINGS`."""
    batch = view.batch
    return (
        str(batch.id),
        words.text(f"kind.{batch.kind}"),
        view.emitter_name,
        format_competence(batch.competence),
        words.text(f"state.batch.{batch.state.value}"),
        batch.count,
        Cents(batch.total_cents),
        ", ".join(f"{words.text(f'state.invoice.{state.value}')} {count}" for state, count in view.notes.items()),
    )


def say_subject(words: Catalogue, subject: str) -> str:
    """What a tally is about: "batch 17" in the person's language."""
    thing, _, which = subject.partition(" ")
    if f"entity.{thing}" not in words.entries:
        return subject
    return f"{words.text(f'entity.{thing}')} {which.removeprefix('of ')}".strip()


def say_counts(words: Catalogue, tally: Tally) -> str:
    """What was counted, as "12 enviadas, 1 recusada"."""
    return ", ".join(f"{words.text(f'tally.{word}')} {count}" for word, count in tally.counts.items())


def _lines(words: Catalogue, seen: Overview, tallies: Sequence[Tally]) -> Iterator[str]:
    waiting = [view.batch for view in seen.batches if view.batch.state is BatchState.STAGED]
    if seen.incidents:
        yield words.text("board.incidents_wait", count=len(seen.incidents))
    if waiting:
        total = format_brl(sum(batch.total_cents for batch in waiting))
        yield words.text("board.approval_waits", count=len(waiting), total=total)
    if not seen.incidents and not waiting:
        yield words.text("board.nobody_waits")
    going = sum(view.batch.state not in {*_ENDED, *_FIRST} for view in seen.batches)
    if going:
        yield words.text("board.going_on", count=going)
    ended = {state: sum(tally.counts.get(str(state), 0) for tally in tallies) for state in _OUTCOMES}
    if any(ended.values()):
        yield words.text("board.ended", **{str(state): count for state, count in ended.items()})


def _failures(words: Catalogue, errors: Sequence[Exception]) -> Iterator[str]:
    for error in errors:
        if isinstance(error, FaturistaError):
            yield from words.explain(error)
        else:
            yield words.say(Problem("board.unforeseen", params={"kind": type(error).__name__}))


def _incidents(words: Catalogue, seen: Overview) -> Section:
    problems = [(each.batch_id, Problem(each.code, params=each.params)) for each in seen.incidents]
    rows = [("" if batch is None else str(batch), words.what(each), words.mend(each)) for batch, each in problems]
    return _section(words, "board.incidents", ("batch", "reason", "to_do"), rows, note=words.text("board.decide"))


def _batches(words: Catalogue, seen: Overview) -> Section:
    views = sorted(seen.batches, key=lambda view: (view.batch.state not in _FIRST, view.batch.id))
    cells = [dict(zip(BATCH_HEADINGS, batch_cells(words, view), strict=True)) for view in views[:_SHOWN]]
    rows = [tuple(each[name] for name in _NARROW) for each in cells]
    note = words.text("preview.more", more=len(views) - _SHOWN) if len(views) > _SHOWN else ""
    return _section(words, "board.batches", _NARROW, rows, note=note)


def _steps(words: Catalogue, tallies: Sequence[Tally]) -> Section:
    rows = [
        (
            words.text(f"station.{tally.station}"),
            say_subject(words, tally.subject),
            words.text(f"ending.{tally.ending.value}"),
            say_counts(words, tally),
            " ".join(words.say(remark) for remark in tally.remarks),
        )
        for tally in tallies
    ]
    return _section(words, "board.steps", ("station", "subject", "ending", "counts", "remarks"), rows)


def _section(
    words: Catalogue, title: str, headings: Sequence[str], rows: Sequence[tuple[Cell, ...]], *, note: str = ""
) -> Section:
    return Section(words.text(title), tuple(words.text(f"heading.{each}") for each in headings), rows, note)
