"""Write a forecast as one page, for the terminal, the dashboard and a workbook."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from configs.catalogue import Catalogue
from connectors.ledger.files import ReadingRecord
from connectors.spreadsheets.writers.pages import Cell, Cents, Page, Section
from domain.competence import BRASILIA, format_competence
from domain.decisions import Decision, DecisionKind, kind_of
from domain.documents import Document
from domain.forecasts.forecast import Forecast, waived_groups
from domain.forecasts.month_comparison import Change, MonthFigures
from domain.forecasts.planned_invoices import Difference, NumberRange, PlannedNote, Reason
from domain.money import format_brl
from domain.problems import Where
from tasks.preview.decisions_section import CELLS_SHOWN, decisions_section, letter_of, shown_cells
from tasks.preview.replaced_section import replaced_section
from tasks.preview.sections import ROWS_SHOWN, truncate_section
from tasks.views.sections import section

_TAXES: Final = ("pis", "cofins", "csll", "ir", "inss", "retained_iss")


def forecast_page(words: Catalogue, seen: Forecast, *, is_shared: bool = False, is_written: bool = False) -> Page:
    """Return the page in the operator's language. Mask documents except in lists, which only the workbook has.

    A page that `is_shared` (the dashboard's) names the fields in which a taker differs, never their values. A page that
    `is_written` becomes a workbook, too: it has the whole lists, and its truncated sections point to them.
    """
    return Page(
        title=words.text("preview.title", file=seen.file_name),
        lines=tuple(_lines(words, seen)),
        alarms=tuple(_alarms(words, seen)),
        sections=tuple(_sections(words, seen, is_shared=is_shared, is_written=is_written)),
        lists=tuple(_lists(words, seen)) if is_written else (),
    )


def approval_page(words: Catalogue, seen: Forecast, reading: ReadingRecord, findings: Section) -> Page:
    """Return what a person checks before approving: the file, who sent it, its rows, and what is unusual in it.

    `findings` is the section of `findings_section`.
    """
    at = f"{reading.started_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}"
    params = {"file": seen.file_name, "sheet": seen.sheet, "person": reading.dropped_by, "at": at}
    return Page(
        title=words.text("preview.dropped_by", **params),
        lines=() if seen.sender in reading.droppers else tuple(_sender(words, seen)),
        alarms=tuple(_alarms(words, seen)),
        sections=(
            decisions_section(words, seen, is_shared=False),
            replaced_section(words, seen.notes),
            _refused_section(words, seen),
            _by_emitter(words, seen),
            _by_size(words, seen.notes),
            _months(words, seen.months.figures),
            findings,
            truncate_section(words, _differences(words, seen.differences)),
        ),
        lists=(),
    )


def _sender(words: Catalogue, seen: Forecast) -> Iterator[str]:
    if seen.sender is not None:
        yield words.text("preview.sender", sender=seen.sender)


def _lines(words: Catalogue, seen: Forecast) -> Iterator[str]:
    yield from _sender(words, seen)
    total = format_brl(seen.service_cents)
    yield words.text(
        "preview.totals", notes=len(seen.notes), total=total, held=seen.held_rows, refused=seen.refused_rows
    )
    if seen.skipped_rows and seen.run_competence is not None:
        yield words.text("preview.skipped_month", rows=seen.skipped_rows, competence=seen.run_competence)
    elif seen.skipped_rows:
        yield words.text("preview.skipped", rows=seen.skipped_rows)
    if seen.largest is not None:
        note = seen.largest
        largest = format_brl(note.service_cents)
        yield words.text("preview.largest", amount=largest, taker=_taker(words, note), row=note.row_number)
    if seen.notes and not any(each.count_before for each in seen.months.figures):
        yield words.text("preview.no_history")
    if seen.budget is not None and seen.budget.notes:
        each = f"{seen.budget.total / seen.budget.notes:.2f}"
        yield words.text("preview.budget", requests=seen.budget.total, each=_decimal(words, each))
    if seen.quota is not None and seen.quota.left is None:
        yield words.text("preview.quota_unlimited", made=seen.quota.made)
    if seen.quota is not None and seen.quota.left is not None and seen.quota.left >= 0:
        yield words.text("preview.quota", made=seen.quota.made, allowed=seen.quota.allowed, left=seen.quota.left)


def _alarms(words: Catalogue, seen: Forecast) -> Iterator[str]:
    if seen.quota is not None and seen.quota.left is not None and seen.quota.left < 0:
        yield words.text("preview.quota_short", allowed=seen.quota.allowed, short=-seen.quota.left)
    for each in seen.decisions:
        if each.kind is DecisionKind.CONTRADICTED:
            yield words.say(each.problem)
    for problem in seen.remarks:
        yield words.say(problem)


def _sections(words: Catalogue, seen: Forecast, *, is_shared: bool, is_written: bool) -> Iterator[Section]:
    yield decisions_section(words, seen, is_shared=is_shared)
    yield truncate_section(words, replaced_section(words, seen.notes, is_shared=is_shared), is_written=is_written)
    yield _by_emitter(words, seen)
    yield _by_template(words, seen.notes)
    yield _by_size(words, seen.notes)
    yield _months(words, seen.months.figures)
    yield truncate_section(words, _changes(words, seen.months.changes), is_written=is_written)
    yield _refused_section(words, seen)
    yield truncate_section(words, _newcomers(words, seen, is_unmasked=False), is_written=is_written)
    yield truncate_section(words, _updates(words, seen.updates, is_shared=is_shared), is_written=is_written)
    differing = (_differing_fields if is_shared else _differences)(words, seen.differences)
    yield truncate_section(words, differing, is_written=is_written)
    yield _withheld_section(words, seen.notes)
    yield _waived_section(words, seen)
    yield _mapping(words, seen)
    if seen.budget is not None:
        rows = [(words.text(f"preview.step.{step}"), count) for step, count in seen.budget.requests.items() if count]
        yield section(words, "preview.requests", ("step", "requests"), rows)


def _lists(words: Catalogue, seen: Forecast) -> Iterator[Section]:
    yield _all_notes(words, seen.notes)
    if any(len(each.rows) > CELLS_SHOWN for each in seen.decisions):
        yield decisions_section(words, seen, is_shared=False, has_all_cells=True)
    yield replaced_section(words, seen.notes)
    yield _changes(words, seen.months.changes)
    yield _newcomers(words, seen, is_unmasked=True)
    yield _updates(words, seen.updates, is_shared=False)
    yield _differences(words, seen.differences)


def _by_emitter(words: Catalogue, seen: Forecast) -> Section:
    ranges: defaultdict[tuple[str, str], list[NumberRange]] = defaultdict(list)
    for each in seen.ranges:
        ranges[each.kind, each.emitter_name].append(each)
    groups: defaultdict[tuple[str, str, str], list[PlannedNote]] = defaultdict(list)
    for note in seen.notes:
        groups[note.emitter_name, note.kind, format_competence(note.competence)].append(note)
    rows = [
        (
            emitter,
            words.text(f"kind.{kind}"),
            month,
            len(notes),
            Cents(sum(note.service_cents for note in notes)),
            Cents(sum(note.liquid_cents for note in notes)),
            ", ".join(map(str, ranges[kind, emitter])),
        )
        for (emitter, kind, month), notes in sorted(groups.items())
    ]
    headings = ("emitter", "kind", "competence", "count", "total", "liquid", "numbers")
    return section(words, "preview.by_emitter", headings, rows)


def _by_template(words: Catalogue, notes: Sequence[PlannedNote]) -> Section:
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for note in notes:
        if note.template is not None:
            counts[note.template] += 1
            totals[note.template] += note.service_cents
    rows = [(name, counts[name], Cents(cents)) for name, cents in totals.most_common()]
    return section(words, "preview.by_template", ("template", "count", "total"), rows)


def _by_size(words: Catalogue, notes: Sequence[PlannedNote]) -> Section:
    largest = sorted(notes, key=lambda note: (-note.service_cents, note.row_number))[:ROWS_SHOWN]
    if any(note.template for note in largest):
        rows = [
            (_taker(words, note), note.template or "", Cents(note.service_cents), note.row_number) for note in largest
        ]
        return section(words, "preview.by_size", ("taker", "template", "total", "row"), rows)
    of_products = [(_taker(words, note), Cents(note.service_cents), note.row_number) for note in largest]
    return section(words, "preview.by_size", ("taker", "total", "row"), of_products)


def _taker(words: Catalogue, note: PlannedNote) -> str:
    """Return the customer's name; an NFC-e may have none."""
    return note.taker_name or words.text("preview.no_name")


def _months(words: Catalogue, figures: Sequence[MonthFigures]) -> Section:
    rows = [
        (
            each.emitter_name,
            words.text(f"kind.{each.kind}"),
            format_competence(each.competence),
            each.count_before,
            Cents(each.cents_before),
            each.count,
            Cents(each.cents),
            _percent(words, each),
        )
        for each in figures
        if each.count_before
    ]
    headings = ("emitter", "kind", "competence", "count_before", "total_before", "count_now", "total_now", "change")
    return section(words, "preview.months", headings, rows)


def _percent(words: Catalogue, figures: MonthFigures) -> str:
    if figures.change_bp is None:
        return ""
    text = _decimal(words, f"{figures.change_bp / 100:+.1f} %")
    return f"{text} !" if figures.is_unusual else text


def _decimal(words: Catalogue, text: str) -> str:
    return text.replace(".", ",") if words.language == "pt_BR" else text


def _changes(words: Catalogue, changes: Sequence[Change]) -> Section:
    rows = [
        (
            words.text(f"preview.change.{each.kind}"),
            each.taker_name,
            each.template or "",
            None if each.cents_before is None else Cents(each.cents_before),
            None if each.cents is None else Cents(each.cents),
            each.emitter_name,
        )
        for each in changes
    ]
    headings = ("what", "taker", "template", "total_before", "total_now", "emitter")
    return section(words, "preview.changes", headings, rows)


def _refused_section(words: Catalogue, seen: Forecast) -> Section:
    """Return the reasons for refused rows, their cells and what to do. `decisions_section` has the held rows."""
    found = [each for each in seen.reasons if kind_of(each.problem.code) is not DecisionKind.HELD]
    letters = {each.field: each.letter for each in seen.columns if each.field is not None}
    rows = [
        (
            reason_words(words, each),
            len(each.rows),
            shown_cells(words, _decision(each, letters)),
            words.advice(each.problem),
        )
        for each in found
    ]
    note = words.text("preview.held_above") if len(found) < len(seen.reasons) else ""
    return section(words, "preview.refused", ("reason", "count", "cells", "to_do"), rows, note=note)


def _decision(reason: Reason, letters: Mapping[str, str]) -> Decision:
    """Convert a reason for refusal to a `Decision`, so that its cells can be listed.

    They are the cells of its column, or whole rows if it has none.
    """
    letter = reason.column
    if letter is None and not reason.spans_fields:
        letter = letter_of(reason.problem.field or "", letters)
    problem = replace(reason.problem, where=Where(column=letter))
    return Decision(kind=kind_of(problem.code), problem=problem, count=len(reason.rows), rows=reason.rows)


def reason_words(words: Catalogue, reason: Reason) -> str:
    """Return the sentence of a reason for refusal, with the parameters of its first row."""
    text = words.what(reason.problem)
    names_field = reason.spans_fields and text != words.what(replace(reason.problem, field=None))
    return words.text("preview.such_as", text=text) if reason.is_example or names_field else text


def shown_rows(numbers: Sequence[int]) -> str:
    """Return the first row numbers as one text, with an ellipsis if there are more."""
    return ", ".join(map(str, numbers[:CELLS_SHOWN])) + (" …" if len(numbers) > CELLS_SHOWN else "")


def _newcomers(words: Catalogue, seen: Forecast, *, is_unmasked: bool) -> Section:
    rows = [(each.taker_name, _document(each, is_unmasked=is_unmasked), each.row_number) for each in seen.newcomers]
    return section(words, "preview.newcomers", ("taker", "document", "row"), rows)


def _document(note: PlannedNote, *, is_unmasked: bool) -> str:
    number = note.taker_document or ""
    return number if is_unmasked or not number else Document("cpf" if len(number) == 11 else "cnpj", number).masked


def _differences(words: Catalogue, differences: Sequence[Difference]) -> Section:
    rows = [
        (each.name, words.field(each.field), each.sheet_says, each.provider_says, each.row_number)
        for each in differences
    ]
    note = words.text("preview.differences_note") if rows else ""
    headings = ("taker", "field", "sheet_says", "provider_says", "row")
    return section(words, "preview.differences", headings, rows, note=note)


def _updates(words: Catalogue, updates: Sequence[Difference], *, is_shared: bool) -> Section:
    """Return the fields that the register takes over from the sheet; on a shared page without their values."""
    section = (_differing_fields if is_shared else _differences)(words, updates)
    note = words.text("preview.updates_note") if updates else ""
    return replace(section, title=words.text("preview.updates"), note=note)


def _differing_fields(words: Catalogue, differences: Sequence[Difference]) -> Section:
    rows = [(each.name, words.field(each.field), each.row_number) for each in differences]
    return section(words, "preview.differences", ("taker", "field", "row"), rows)


def _withheld_section(words: Catalogue, notes: Sequence[PlannedNote]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for tax in _TAXES:
        held = [note.withheld[tax] for note in notes if tax in note.withheld]
        if held:
            rows.append((words.text(f"preview.tax.{tax}"), len(held), Cents(sum(held))))
    return section(words, "preview.withheld", ("tax", "count", "total"), rows)


def _waived_section(words: Catalogue, seen: Forecast) -> Section:
    rows = []
    for code, notes in waived_groups(seen.notes).items():
        first, *others = (problem for note in notes for problem in note.waived if problem.code == code)
        text = words.what(first)
        is_example = any(problem != first for problem in others)
        shown = words.text("preview.such_as", text=text) if is_example else text
        rows.append((shown, len(notes), shown_rows(_rows(notes))))
    return section(words, "preview.waived", ("reason", "count", "rows"), rows)


def _rows(notes: Iterable[PlannedNote]) -> list[int]:
    return [note.row_number for note in notes]


def _mapping(words: Catalogue, seen: Forecast) -> Section:
    rows = [
        (each.letter, each.header, words.text("preview.unused") if each.field is None else words.field(each.field))
        for each in seen.columns
    ]
    return section(words, "preview.mapping", ("column", "header", "field"), rows, note=seen.sheet)


def _all_notes(words: Catalogue, notes: Sequence[PlannedNote]) -> Section:
    taxes = [tax for tax in _TAXES if any(tax in note.withheld for note in notes)]
    # format each kind and month once: the list of a month has many notes
    kinds = {kind: words.text(f"kind.{kind}") for kind in {note.kind for note in notes}}
    months = {month: format_competence(month) for month in {note.competence for note in notes}}
    headings = ("row", "emitter", "kind", "competence", "taker", "document", "template", "total")
    rows: list[tuple[Cell, ...]] = [
        (
            note.row_number,
            note.emitter_name,
            kinds[note.kind],
            months[note.competence],
            note.taker_name,
            note.taker_document or "",
            note.template or "",
            Cents(note.service_cents),
            *(Cents(note.withheld[tax]) if tax in note.withheld else None for tax in taxes),
            Cents(note.liquid_cents),
            " ".join(words.what(problem) for problem in note.waived),
        )
        for note in notes
    ]
    shown = [
        *(words.text(f"heading.{each}") for each in headings),
        *(words.text(f"preview.tax.{tax}") for tax in taxes),
        words.text("heading.liquid"),
        words.text("heading.explained"),
    ]
    return Section(words.text("preview.notes"), tuple(shown), rows)
