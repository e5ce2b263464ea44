"""Station 2: turn the rows of an archived file into typed rows, or into rows with all their problems."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import FileRecord
from connectors.ledger.rows import NewRow, PackedRow, pack, pack_new_row
from connectors.ledger.sheets.row_import import ReadMeanwhile, store_reading
from connectors.process_names import process_name
from connectors.spreadsheets.archive import archived
from connectors.spreadsheets.corrections.hidden_data import HiddenData, read_hidden_data
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.readings import OpenedSheet, SheetReading, SheetRow
from connectors.spreadsheets.workbook import Workbook, open_workbook
from domain.competence import month_text
from domain.keys import file_digest
from domain.problems import FaturistaError, InputError, Problem
from domain.states import RowState
from domain.station_result import StationResult, Subject
from tasks.corrections.file_names import refuse_outcome
from tasks.corrections.inherited_options import Given, Inheritance, inherit, is_correction, sender_of_source
from tasks.runtime import Context
from tasks.runtime.file_bytes import limits_of, read_bytes
from tasks.sheets.kinds import kind_of
from tasks.sheets.mapping_choice import KINDS, open_with_layout, template_of_sender
from tasks.sheets.requested_emitter import refuse_other_emitter
from tasks.sheets.unstored_rows import UnstoredRows
from tasks.stations.intake import archive_bytes
from tasks.stations.reading_options import ReadingOptions, choices_of, options_json, requested_options
from tasks.views.left_rows import left_rows, skipped_rows, taken_back_remarks

AnyReading: TypeAlias = SheetReading[SheetRow]

SAMPLE_ROWS: Final = 200
"""How many first rows give samples of unused columns; only these rows of an unstored file keep their cells."""
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class _Analysed:
    """A sheet's kind and parsed rows, the hidden data beside its cells, and the options that the file gives."""

    kind: str
    reading: AnyReading
    beside: HiddenData
    inheritance: Inheritance


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file that a command opens and analyses only once."""

    name: str
    content: bytes
    sheet: _Analysed

    @property
    def kind(self) -> str:
        return self.sheet.kind


def read_file(
    context: Context,
    file_id: int,
    options: ReadingOptions,
    *,
    opened: OpenedFile | None = None,
    made: int | None = None,
    answered: int | None = None,
) -> tuple[int, StationResult]:
    """Read a file of the ledger. Return the id of the reading, and its counts.

    If the last reading stopped before its end and the options are the same, return that reading, which later stations
    continue. If they differ, refuse its remaining rows and read the file again: skip rows with a living invoice, and
    parse all others.

    `opened` is the same file, if the caller has opened it already; `made` is the id of a reading that the caller has
    stored already; `answered` is the id of the reading whose question the options answer.

    Raises:
        InputError: The file as a whole is unreadable, or bills for another company than the options name.
        ReadMeanwhile: Other processes keep reading it at the same time, or work on its last reading now.
        FaturistaError: The question was answered meanwhile (`file.no_question`).
    """
    for _ in range(_TRIES - 1):
        with suppress(ReadMeanwhile):
            return _read(context, file_id, options, opened, made, answered=answered)
    return _read(context, file_id, options, opened, made, answered=answered)


def _read(
    context: Context,
    file_id: int,
    options: ReadingOptions,
    opened: OpenedFile | None,
    made: int | None,
    *,
    answered: int | None,
) -> tuple[int, StationResult]:
    file = context.ledger.read(ledger_files.find_file, file_id=file_id)
    if file is None:
        raise FaturistaError(Problem("file.not_in_ledger", params={"file": file_id}))
    last = context.ledger.read(ledger_files.last_reading, file_id)
    if last is not None and last.id == made:
        return last.id, _tally(context, last.id, skipped=skipped_rows(context, last.id))
    if answered is not None and (last is None or last.id != answered):
        raise FaturistaError(Problem("file.no_question", params={"name": file.name}))
    refuse_other_emitter(context, file_id, options.emitter_cnpj)
    if last is not None and last.id in context.ledger.read(ledger_rows.stalled_readings, idle_s=0):
        term = context.settings.protocol.lease_s
        if not context.ledger.write(ledger_files.claim_reading, last.id, worker=process_name(), idle_s=term):
            raise ReadMeanwhile(Problem("file.read_meanwhile", params={"name": file.name}))
        if choices_of(options_json(options)) in (choices_of(last.options), choices_of(requested_options(last.options))):
            return last.id, _tally(context, last.id, skipped=0)
        opened = opened or _open_archived(context, file, options)
        whole = _with_missing(options, opened.sheet.inheritance.filled)
        if choices_of(options_json(whole)) == choices_of(last.options):
            return last.id, _tally(context, last.id, skipped=0)
        _supersede(context, last.id, whole)
    return _read_anew(context, file, options, opened or _open_archived(context, file, options), answered=answered)


def _supersede(context: Context, reading_id: int, options: ReadingOptions) -> None:
    """Refuse the remaining rows of a stopped reading, because a new one with other options replaces it.

    If the reading has invoices, rows of another month than the new reading's stay: they are other charges. Without any
    invoice its month may have been a mistake, which the new reading corrects.
    """
    has_invoices = context.ledger.read(ledger_rows.count_rows, reading_id).get(RowState.ASSEMBLED, 0) > 0
    undone = [
        row.id
        for state in (RowState.READ, RowState.RESOLVED)
        for row in context.ledger.read(ledger_rows.rows_of, reading_id, state, limit=context.settings.limits.rows)
        if not has_invoices or row.run_competence in (None, _month(options))
    ]
    problems = dict.fromkeys(undone, (Problem("row.superseded"),))
    context.ledger.write(ledger_rows.refuse_rows, problems, because="asked for otherwise")


def open_file(context: Context, path: Path, options: ReadingOptions) -> OpenedFile:
    """Open a file and recognise its kind by its headers. Store nothing.

    Raises `InputError` for a file that `read_file` would refuse.
    """
    content = read_bytes(path, limit=context.settings.limits.file_bytes)
    workbook = open_workbook(content, limits_of(context), name=path.name)
    return OpenedFile(path.name, content, _understand(context, workbook, content, options))


def read_opened(context: Context, opened: OpenedFile, options: ReadingOptions) -> int:
    """Archive an opened file and store its reading, without opening it again. Return the reading's id."""
    file_id = archive_bytes(context, opened.content, name=opened.name, kind=opened.kind)
    reading, _ = read_file(context, file_id, options, opened=opened)
    return reading


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was read but not stored.

    `file_id` is 0 for bytes that the ledger does not know. `skipped` is how many rows were left out because they have a
    living invoice. Rows after the first `SAMPLE_ROWS` have no cells, unless the file is a correction. `run_competence`
    is the month (`2026-11`) of rows without one, None if there is none.
    """

    file_id: int
    kind: str
    understood: Mapping[str, Any]
    rows: UnstoredRows
    skipped: int
    run_competence: str | None


def read_without_storing(context: Context, path: Path, options: ReadingOptions) -> FileRead:
    """Return what `read_file` would store of this file. Raises `InputError` as it does."""
    opened = open_file(context, path, options)
    file = context.ledger.read(ledger_files.find_file, sha256=file_digest(opened.content))
    file_id = 0 if file is None else file.id
    refuse_other_emitter(context, file_id, options.emitter_cnpj)
    whole = _with_missing(options, opened.sheet.inheritance.filled)
    taken = set() if file is None else _taken_places(context, file.id, whole)
    understood, news = _judge_sheet(context, opened.sheet, taken, keeping=SAMPLE_ROWS)
    understood["warnings"] += [each.to_json() for each in taken_back_remarks(context, file_id)]
    rows = UnstoredRows(file_id, news)
    return FileRead(file_id, opened.kind, understood, rows, len(taken), _month(whole))


def _open_archived(context: Context, file: FileRecord, options: ReadingOptions) -> OpenedFile:
    path = archived(file.sha256, name=file.name, folder=context.archive)
    workbook = open_workbook(path, limits_of(context), name=file.name)
    # A CSV has nothing beside its cells, and may be too large to hold in memory without need.
    content = b"" if workbook.kind == "csv" else path.read_bytes()
    return OpenedFile(file.name, content, _understand(context, workbook, content, options, kinds=(file.kind,)))


def _read_anew(
    context: Context, file: FileRecord, options: ReadingOptions, opened: OpenedFile, *, answered: int | None
) -> tuple[int, StationResult]:
    sheet, whole = opened.sheet, _with_missing(options, opened.sheet.inheritance.filled)
    taken = _taken_places(context, file.id, whole)
    understood, news = _judge_sheet(context, sheet, taken)
    understood["warnings"] += [each.to_json() for each in taken_back_remarks(context, file.id)]
    reading_id = store_reading(
        context.ledger,
        file.id,
        operator=options.operator,
        options=options_json(whole, sheet.inheritance.filled),
        understood=understood,
        news=news,
        after=answered,
    )
    return reading_id, _tally(context, reading_id, skipped=len(taken))


def _judge_sheet(
    context: Context, sheet: _Analysed, taken: Collection[tuple[str, int]], *, keeping: int | None = None
) -> tuple[dict[str, Any], Iterable[PackedRow]]:
    """Return how the sheet was understood, and its rows; link those of a correction to the rows that they correct.

    The first result is complete only after the last row was taken.
    """
    reading, understood = sheet.reading, sheet.reading.understood.to_json()
    understood["warnings"] += [each.to_json() for each in sheet.inheritance.remarks]
    if not is_correction(sheet.beside, has_tags=reading.has_tags):
        return understood, map(_pack_row, _with_decisions(reading, taken, understood, keeping=keeping))
    from tasks.corrections.lineage import follow_rows  # noqa: PLC0415 - few sheets are corrections

    read = [_new_row(row) for row in _with_decisions(reading, taken, understood)]
    news = follow_rows(
        context,
        sheet.beside,
        kind=sheet.kind,
        understood=understood,
        news=read,
        inheritance=sheet.inheritance,
    )
    return understood, map(pack_new_row, news)


def _rows(reading: AnyReading, taken: Collection[tuple[str, int]], keeping: int | None) -> Iterator[SheetRow]:
    """Yield parsed rows lazily, without those in `taken` (sheet, row number); never hold a whole file in memory."""
    rows: Iterator[SheetRow] = reading.rows(keeping=keeping)
    return (row for row in rows if (row.sheet, row.row_number) not in taken) if taken else rows


def _with_decisions(
    reading: AnyReading,
    taken: Collection[tuple[str, int]],
    understood: dict[str, Any],
    *,
    keeping: int | None = None,
) -> Iterator[SheetRow]:
    """Yield parsed rows; after the last one, put the warnings and the decisions about them into `understood`."""
    yield from _rows(reading, taken, keeping)
    understood["warnings"] = reading.judged(understood["warnings"])
    understood["decisions"] = [each.to_json() for each in reading.decisions.all()]


def _taken_places(context: Context, file_id: int, options: ReadingOptions) -> set[tuple[str, int]]:
    """Return sheet and row number of each row that has a living invoice for the month of these options."""
    return context.ledger.read(ledger_rows.living_row_locations, file_id, run_competence=_month(options))


def _month(options: ReadingOptions) -> str | None:
    return None if options.competence is None else month_text(options.competence)


def _understand(
    context: Context, workbook: Workbook, content: bytes, options: ReadingOptions, kinds: Sequence[str] = KINDS
) -> _Analysed:
    """Read the sheet: its kind, its rows and the options that the file gives."""
    beside = read_hidden_data(content)
    sender = options.sender or sender_of_source(context, beside)
    try:
        opened = open_with_layout(
            context, workbook, kinds=kinds, sheet=options.sheet, sender=sender, competence=options.competence
        )
    except InputError as error:
        refuse_outcome(str(error.problem.params.get("found", "")).split(", "))
        raise
    refuse_outcome(opened.header.texts.values())
    asked = Given(options.emitter_cnpj, options.competence, options.template)
    inheritance = inherit(context, beside, opened.header, asked)
    reading = _reading_of(context, opened, _with_missing(options, inheritance.filled))
    _check_rows(context, reading)
    return _Analysed(opened.layout.name, reading, beside, inheritance)


def _with_missing(options: ReadingOptions, given: Given) -> ReadingOptions:
    """Return the options; take missing values from `given`."""
    return replace(
        options,
        emitter_cnpj=options.emitter_cnpj or given.emitter_cnpj,
        competence=options.competence or given.competence,
        template=options.template or given.template,
    )


def _check_rows(context: Context, reading: AnyReading) -> None:
    most = context.settings.limits.rows
    if reading.understood.row_count > most:
        raise InputError(Problem("file.too_many_rows", params={"limit": most}))


def _reading_of(context: Context, opened: OpenedSheet, options: ReadingOptions) -> AnyReading:
    template_name, template_code = _usual_template(context, options)
    defaults = Defaults(
        emitter_cnpj=options.emitter_cnpj,
        competence=options.competence,
        template_name=template_name,
        template_code=template_code,
        takes_hidden_rows=context.settings.reading.hidden_rows == "bill",
        prints_notes=context.settings.reading.notes == "print",
    )
    return kind_of(opened.layout.name).read(opened, defaults)


def _usual_template(context: Context, options: ReadingOptions) -> tuple[str | None, str]:
    """Return the template for a sheet without that column, and the decision that names its source.

    It is the requested one, else the sender's, else the settings'.
    """
    if options.template:
        return options.template, "template.by_option"
    if of_sender := template_of_sender(context, options.sender):
        return of_sender, "template.of_sender"
    return context.settings.reading.template or None, "template.of_profile"


def _pack_row(row: SheetRow) -> PackedRow:
    return pack(row.sheet, row.row_number, row.kept, row.json, row.problems, run_competence=row.run_competence)


def _new_row(row: SheetRow) -> NewRow:
    return NewRow(
        sheet=row.sheet,
        row_number=row.row_number,
        cells=row.cells,
        line=None if row.json is None else orjson.loads(row.json),
        problems=row.problems,
        run_competence=row.run_competence,
    )


def _tally(context: Context, reading_id: int, *, skipped: int) -> StationResult:
    counts = context.ledger.read(ledger_rows.count_rows, reading_id)
    read = sum(counts.values()) - counts.get(RowState.REFUSED, 0)
    left = left_rows(context, reading_id).report_counts()
    return StationResult("read", Subject("reading", reading_id), counts={"read": read, **left, "skipped": skipped})
