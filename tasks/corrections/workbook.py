"""Write the failing rows of a file into a workbook that people can correct and drop as it is."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from configs.catalogue import LANGUAGES, Catalogue
from configs.reference.cities import load_cities
from configs.rejections import may_go_again
from connectors.ledger import files as ledger_files
from connectors.ledger import parties as ledger_parties
from connectors.ledger.files import FileRecord
from connectors.ledger.rows import RowOutcome, RowRecord
from connectors.ledger.sheets.tag_secrets import TAGS, secret_of
from connectors.spreadsheets.archive import archived, is_archived
from connectors.spreadsheets.workbook import open_workbook
from domain.corrections.answers import can_release
from domain.corrections.reports import Choices, CorrectionsReport, FailingRow, Fault, Reason
from domain.corrections.row_tags import tag_of
from domain.keys import canonical_json, content_digest, file_digest
from domain.left_rows import is_held
from domain.problems import FaturistaError, Problem
from tasks.corrections.failures import is_rejected, rows_to_return
from tasks.corrections.file_names import CORRECTIONS, answer_paths
from tasks.corrections.related_files import corrected_files
from tasks.corrections.row_summary import understood_of
from tasks.corrections.written_workbooks import (
    WrittenWorkbook,
    delete_unchanged,
    last_written,
    recall,
    remember,
    unused_path,
)
from tasks.runtime import Context
from tasks.runtime.file_bytes import limits_of
from tasks.runtime.shared_files import publish_answer
from tasks.sheets.kinds import kind_of
from tasks.views.rejections import explain, is_otherwise_valid, problems_of, repeats_the_issuer

_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "template": ("template_name",),
    "email": ("emails",),
    "city": ("city_code", "state"),
    "city_code": ("city",),
    "state": ("city",),
}
"""The columns in which a person corrects a field that has no column of its own, or whose column has another name."""
_ADDED: Final[Mapping[str, str]] = {"template": "template", "template_name": "template"}
"""The column that the workbook adds for a field that the sheet lacks: its word in the catalogue, by field."""
_MASKED: Final = frozenset({"row.email", "row.phone"})
"""Problems that show only a part of a cell, to protect personal data."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """A written workbook: the number of rows in it, and whether it has the formatting of the dropped file."""

    path: Path
    count: int
    has_looks: bool


def write_back(context: Context, file_id: int, *, folder: Path | None = None) -> Corrections | None:
    """Write the failing rows of a file into a workbook beside its outcome.

    If there are none, or the sheet is no longer archived, delete the old workbook and return None. Do not overwrite a
    workbook with the same content, or one that a person changed. Raises `FaturistaError` for an unknown file.
    """
    file = context.ledger.read(ledger_files.find_file, file_id=file_id)
    if file is None:
        raise FaturistaError(Problem("file.not_in_ledger", params={"file": file_id}))
    wanted, *others = answer_paths(context, file, folder, CORRECTIONS)
    delete_unchanged(context, others)
    last = recall(context, wanted)
    outcomes = rows_to_return(context, file)
    first = next(outcomes, None)
    is_kept = is_archived(file.sha256, name=file.name, folder=context.archive)
    # The archive deletes a sheet past its term, and at the erasure of a person: no rows can be read from it.
    if first is None or not is_kept:
        delete_unchanged(context, [wanted])
        return None
    report = _report(context, file, chain([first], outcomes))
    digest = content_digest(canonical_json(asdict(report)))
    if last is None or last.report != digest or not last.is_there:
        place = unused_path(wanted, last)
        has_looks = _write(context, file, report, place)
        try:
            last = WrittenWorkbook(str(place), file_digest(place.read_bytes()), digest, len(report.rows), has_looks)
            publish_answer(context.settings, place)
            remember(context, wanted, last)
        except BaseException:
            # Without a record, the next answer would take it for a person's workbook and write another one beside it.
            place.unlink(missing_ok=True)
            raise
    return Corrections(Path(last.path), last.count, last.has_looks)


def _write(context: Context, file: FileRecord, report: CorrectionsReport, path: Path) -> bool:
    """Write the workbook. Return whether it has the formatting of the dropped file."""
    # Loading the library of workbooks takes longer than billing a small file.
    from connectors.spreadsheets.corrections.writer import write_corrections  # noqa: PLC0415

    source = archived(file.sha256, name=file.name, folder=context.archive)
    limits = limits_of(context)
    return write_corrections(
        path, source.read_bytes(), report, reopened=lambda: open_workbook(source, limits, name=file.name), limits=limits
    )


def write_reading_back(context: Context, reading_id: int) -> str | None:
    """Write the correction workbook of a reading's file into the outbox. Return its path, or None.

    Update the workbooks of the files that this file corrects, too.
    """
    file = context.ledger.read(ledger_files.file_of_reading, reading_id)
    for each in corrected_files(context, file.id):
        other = context.ledger.read(ledger_files.find_file, file_id=each)
        if other is not None and last_written(context, other) is not None:
            write_back(context, each)
    found = write_back(context, file.id)
    return None if found is None else str(found.path)


def latest_corrections(context: Context, file_id: int) -> Corrections | None:
    """Return the workbook last written into the outbox, if it still exists and anything is left to correct."""
    file = context.ledger.read(ledger_files.find_file, file_id=file_id)
    last = None if file is None else last_written(context, file)
    if file is None or last is None or not last.is_there or next(rows_to_return(context, file), None) is None:
        return None
    return Corrections(Path(last.path), last.count, last.has_looks)


def _report(context: Context, file: FileRecord, outcomes: Iterable[RowOutcome]) -> CorrectionsReport:
    """Return the workbook's content. Rows with equal faults share one tuple, to save memory."""
    secret = context.ledger.write(secret_of, TAGS)
    understood: dict[int, Mapping[str, Any]] = {}
    readings: dict[str, int] = {}
    known: dict[tuple[Fault, ...], tuple[Fault, ...]] = {}
    rows, reasons, emitters = [], _Reasons(context.catalogue), defaultdict[str, set[str | None]](set)
    for outcome in outcomes:
        row = outcome.row
        if row.reading_id not in understood:
            understood |= understood_of(context, [row])
        readings[row.sheet] = row.reading_id
        emitters[row.sheet].add(_emitter_of(row, understood[row.reading_id]))
        found = list(_faults(context, outcome, understood[row.reading_id]))
        reasons.add(row.row_number, found)
        faults = tuple(fault for _, fault in found)
        rows.append(
            FailingRow(
                sheet=row.sheet,
                row=row.row_number,
                status=_status(context, file, outcome),
                tag=tag_of(row.id, secret=secret),
                faults=known.setdefault(faults, faults),
                can_retry=_can_retry(outcome),
                can_release=can_release({problem.code for problem in row.problems}),
            )
        )
    of_file = context.catalogue.text("corrections.of_file", file=file.name, count=len(rows))
    return CorrectionsReport(
        file_sha256=file.sha256,
        header_rows={sheet: _header_row(understood[reading_id]) for sheet, reading_id in readings.items()},
        rows=tuple(rows),
        reasons=reasons.most_frequent_first(),
        words=context.catalogue.words("corrections") | {"of_file": of_file},
        other_words=tuple(
            Catalogue.load(each).words("corrections") for each in LANGUAGES if each != context.catalogue.language
        ),
        choices=tuple(_choices(context, rows, readings, understood, emitters)),
    )


def _emitter_of(row: RowRecord, understood: Mapping[str, Any]) -> str | None:
    """Return the CNPJ of a row's emitter: the row's own, else the one that the request names; None if unknown."""
    if row.line is not None:
        return row.line.get("emitter_cnpj")
    has_column = any(column["field"] == "emitter_cnpj" for column in understood.get("columns", ()))
    return None if has_column else understood.get("emitter_cnpj")


def _templates(context: Context, emitters: Collection[str | None]) -> tuple[str, ...]:
    """Return the names of these emitters' templates, or of all where an emitter is unknown."""
    known = {each for each in emitters if each is not None}
    return tuple(context.ledger.read(ledger_parties.template_names, known if len(known) == len(emitters) else None))


def _choices(
    context: Context,
    rows: Sequence[FailingRow],
    readings: Mapping[str, int],
    understood: Mapping[int, Mapping[str, Any]],
    emitters: Mapping[str, Collection[str | None]],
) -> Iterator[Choices]:
    """Yield the allowed values of a sheet's template and city cells, from the register and the reference table.

    Each city has its state: several cities share a name. `readings` are reading ids by sheet name.
    """
    added = {row.sheet for row in rows for fault in row.faults if fault.added == "template"}
    for sheet, reading_id in sorted(readings.items()):
        letters = {column["field"]: column["letter"] for column in understood[reading_id].get("columns", ())}
        if (letter := letters.get("city")) is not None:
            cities = tuple(f"{city.name} - {city.uf}" for city in load_cities())
            yield Choices(sheet=sheet, column=letter, texts=cities)
        letter = letters.get("template_name")
        if letter is None and sheet not in added:
            continue
        if names := _templates(context, emitters[sheet]):
            yield Choices(sheet=sheet, column=letter, added=None if letter else "template", texts=names)


def _can_retry(outcome: RowOutcome) -> bool:
    return outcome.invoice is not None and is_rejected(outcome) and may_go_again(outcome.invoice.errors)


def _header_row(understood: Mapping[str, Any]) -> int:
    return int(understood.get("header_row", 0))


def _status(context: Context, file: FileRecord, outcome: RowOutcome) -> str:
    if not is_rejected(outcome):
        return context.catalogue.text("status.held" if is_held(outcome.row.problems) else "status.refused")
    return context.catalogue.text(kind_of(file.kind).rejected_word)


def _faults(context: Context, outcome: RowOutcome, understood: Mapping[str, Any]) -> Iterator[tuple[str, Fault]]:
    """Yield our problems, then the provider's or the city's, each at its column where that is known.

    Each comes with the key that groups equal faults: our code, or the received message.
    """
    letters = {column["field"]: column["letter"] for column in understood.get("columns", ())}
    rejected = outcome.invoice if is_rejected(outcome) else None
    ours = [] if rejected is None else problems_of(rejected)
    errors = () if rejected is None else rejected.errors
    explained = list(explain(context.catalogue, errors, is_otherwise_valid=is_otherwise_valid(outcome.row.problems)))
    for problem in (*outcome.row.problems, *ours):
        column = problem.where.column or _letter_of(problem.field or "", letters)
        unmasked = _quote_whole_cell(problem, outcome.row.cells.get(column or ""))
        mend = "" if repeats_the_issuer(problem, explained) else context.catalogue.advice(unmasked)
        added = None if column else _ADDED.get(problem.field or "")
        yield problem.code, Fault(what=context.catalogue.what(unmasked), mend=mend, column=column, added=added)
    for what, mend in explained:
        yield what, Fault(what=what, mend=mend or context.catalogue.text("corrections.rejected_hint"))


def _letter_of(field: str, letters: Mapping[str, str]) -> str | None:
    """Return the letter of the column that corrects a field: its own, or another one (`_FIELDS`)."""
    return next((letters[name] for name in (field, *_FIELDS.get(field, ())) if name in letters), None)


def _quote_whole_cell(problem: Problem, cell: Any) -> Problem:
    """Quote the whole cell where a problem masks it: the workbook goes to the clerk who wrote the cell."""
    if problem.code not in _MASKED or not isinstance(cell, str):
        return problem
    return replace(problem, params={**problem.params, "text": " ".join(cell.split())})


class _Reasons:
    """A summary of faults: each kind once, in the words of its first row, with its row numbers.

    The words are an example if other rows have others.
    """

    def __init__(self, words: Catalogue) -> None:
        self._words = words
        self._first: dict[str, Fault] = {}
        self._rows: dict[str, list[int]] = {}
        self._varied: set[str] = set()

    def add(self, row: int, faults: Iterable[tuple[str, Fault]]) -> None:
        for kind, fault in dict(faults).items():
            if self._first.setdefault(kind, fault).what != fault.what:
                self._varied.add(kind)
            self._rows.setdefault(kind, []).append(row)

    def most_frequent_first(self) -> tuple[Reason, ...]:
        found = sorted(self._rows.items(), key=lambda item: (-len(item[1]), item[1]))
        return tuple(
            Reason(what=self._what(kind), mend=self._first[kind].mend, rows=tuple(rows)) for kind, rows in found
        )

    def _what(self, kind: str) -> str:
        text = self._first[kind].what
        return self._words.text("preview.such_as", text=text) if kind in self._varied else text
