"""Writes the failing rows of a file back into a workbook that can be dropped again as it is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from configs.catalogue import LANGUAGES, Catalogue
from configs.rejections import may_go_again
from connectors.ledger import files as ledger_files
from connectors.ledger.files import FileRecord
from connectors.ledger.rows import RowOutcome
from connectors.ledger.sheets.tag_secrets import TAGS, secret_of
from connectors.spreadsheets.archive import archived
from connectors.spreadsheets.corrections.writer import write_corrections
from connectors.spreadsheets.workbook import open_workbook
from domain.corrections.reports import CorrectionsReport, FailingRow, Fault, Reason
from domain.corrections.row_tags import tag_of
from domain.keys import canonical_json, content_digest, file_digest
from domain.problems import FaturistaError, Problem
from tasks.corrections.failures import is_rejected, rows_to_return
from tasks.corrections.file_names import CORRECTIONS, answer_paths
from tasks.corrections.related_files import corrected_files
from tasks.corrections.row_summary import understood_of
from tasks.corrections.written_workbooks import Shelved, clear_away, free_place, recall, remember
from tasks.runtime import Desk
from tasks.sheets.file_bytes import limits_of
from tasks.sheets.kinds import kind_of
from tasks.views.rejections import explain, problems_of

_FIELDS: Final = {"template": "template_name"}
"""Fields of the stations that a sheet calls otherwise."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """A workbook that was written: how many rows go back in it, and whether it looks like the file that was sent."""

    path: Path
    count: int
    has_looks: bool


def write_back(desk: Desk, file_id: int, *, folder: Path | None = None) -> Corrections | None:
    """Write the failing rows of a file beside its outcome; None, and no workbook any more, where there are none.

    One that says the same already is left alone, and so is one that a person has changed.
    """
    file = desk.ledger.read(ledger_files.find_file, file_id=file_id)
    if file is None:
        raise FaturistaError(Problem("file.not_in_ledger", params={"file": file_id}))
    wanted, *others = answer_paths(desk, file, folder, CORRECTIONS)
    clear_away(desk, others)
    last = recall(desk, wanted)
    outcomes = rows_to_return(desk, file)
    is_kept = archived(file.sha256, name=file.name, folder=desk.archive).is_file()
    # A sheet whose term has ended, or that a person was erased from, is not there to carve rows from.
    if not outcomes or not is_kept:
        clear_away(desk, [wanted])
        return None
    report = _report(desk, file, outcomes)
    digest = content_digest(canonical_json(asdict(report)))
    if last is None or last.report != digest or not last.is_there:
        last = _write(desk, file, report, free_place(wanted, last), digest)
        remember(desk, wanted, last)
    return Corrections(Path(last.path), last.count, last.has_looks)


def _write(desk: Desk, file: FileRecord, report: CorrectionsReport, path: Path, digest: str) -> Shelved:
    source = archived(file.sha256, name=file.name, folder=desk.archive)
    limits = limits_of(desk)
    path.parent.mkdir(parents=True, exist_ok=True)
    has_looks = write_corrections(
        path, source.read_bytes(), report, reopened=lambda: open_workbook(source, limits, name=file.name), limits=limits
    )
    return Shelved(str(path), file_digest(path.read_bytes()), digest, len(report.rows), has_looks)


def write_reading_back(desk: Desk, reading_id: int) -> str | None:
    """Write the correction workbook of a reading's file into the outbox. Return its path, or None.

    What was written for a file that this one corrects tells what is left of it.
    """
    file = desk.ledger.read(ledger_files.file_of_reading, reading_id)
    for each in corrected_files(desk, file.id):
        other = desk.ledger.read(ledger_files.find_file, file_id=each)
        if other is not None and _last(desk, other) is not None:
            write_back(desk, each)
    found = write_back(desk, file.id)
    return None if found is None else str(found.path)


def standing(desk: Desk, file_id: int) -> Corrections | None:
    """Return the workbook last written into the outbox, if it still exists and anything is left to correct."""
    file = desk.ledger.read(ledger_files.find_file, file_id=file_id)
    last = None if file is None else _last(desk, file)
    if file is None or last is None or not last.is_there or not rows_to_return(desk, file):
        return None
    return Corrections(Path(last.path), last.count, last.has_looks)


def _last(desk: Desk, file: FileRecord) -> Shelved | None:
    """Return the workbook last written into the outbox, in whatever language."""
    found = (recall(desk, path) for path in answer_paths(desk, file, None, CORRECTIONS))
    return next((each for each in found if each is not None), None)


def _report(desk: Desk, file: FileRecord, outcomes: Sequence[RowOutcome]) -> CorrectionsReport:
    secret = desk.ledger.write(secret_of, TAGS)
    understood = understood_of(desk, [outcome.row for outcome in outcomes])
    rows, reasons = [], _Reasons()
    for outcome in outcomes:
        row = outcome.row
        found = list(_faults(desk, outcome, understood[row.reading_id]))
        reasons.add(row.row_number, found)
        rows.append(
            FailingRow(
                sheet=row.sheet,
                row=row.row_number,
                status=_status(desk, file, outcome),
                tag=tag_of(row.id, secret=secret),
                faults=tuple(fault for _, fault in found),
                can_retry=_can_retry(outcome),
            )
        )
    return CorrectionsReport(
        file_name=file.name,
        file_sha256=file.sha256,
        header_rows={outcome.row.sheet: _header_row(understood[outcome.row.reading_id]) for outcome in outcomes},
        rows=tuple(rows),
        reasons=reasons.most_frequent_first(),
        words=desk.catalogue.words("corrections"),
        other_words=tuple(
            Catalogue.load(each).words("corrections") for each in LANGUAGES if each != desk.catalogue.language
        ),
    )


def _can_retry(outcome: RowOutcome) -> bool:
    return outcome.invoice is not None and is_rejected(outcome) and may_go_again(outcome.invoice.errors)


def _header_row(understood: Mapping[str, Any]) -> int:
    return int(understood.get("header_row", 0))


def _status(desk: Desk, file: FileRecord, outcome: RowOutcome) -> str:
    if not is_rejected(outcome):
        return desk.catalogue.text("status.refused")
    return desk.catalogue.text(kind_of(file.kind).rejected_word)


def _faults(desk: Desk, outcome: RowOutcome, understood: Mapping[str, Any]) -> Iterator[tuple[str, Fault]]:
    """Yield our problems, then the provider's or the city's, each at its column where that is known.

    With each goes what it is counted under: our code, or the message as it was given to us.
    """
    letters = {column["field"]: column["letter"] for column in understood.get("columns", ())}
    rejected = outcome.invoice if is_rejected(outcome) else None
    ours = [] if rejected is None else problems_of(rejected)
    for problem in (*outcome.row.problems, *ours):
        field = problem.field or ""
        column = problem.where.column or letters.get(_FIELDS.get(field, field))
        said = Fault(what=desk.catalogue.what(problem), mend=desk.catalogue.mend(problem), column=column)
        yield problem.code, said
    for error in () if rejected is None else rejected.errors:
        if "params" not in error:
            what, mend = explain(desk.catalogue, error)
            yield what, Fault(what=what, mend=mend or desk.catalogue.text("corrections.rejected_hint"))


class _Reasons:
    """Faults in sum, each kind once, in the words of its first row, with the rows that it is said of."""

    def __init__(self) -> None:
        self._first: dict[str, Fault] = {}
        self._rows: dict[str, list[int]] = {}

    def add(self, row: int, faults: Iterable[tuple[str, Fault]]) -> None:
        for kind, fault in dict(faults).items():
            self._first.setdefault(kind, fault)
            self._rows.setdefault(kind, []).append(row)

    def most_frequent_first(self) -> tuple[Reason, ...]:
        found = sorted(self._rows.items(), key=lambda item: (-len(item[1]), item[1]))
        return tuple(
            Reason(what=self._first[kind].what, mend=self._first[kind].mend, rows=tuple(rows)) for kind, rows in found
        )
