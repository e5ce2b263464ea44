"""Name the files with rows that wait for a person: for a correction, an answer, or a complete customer record."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from connectors.ledger.files import find_file
from connectors.ledger.sheets.unsettled_rows import UnsettledRow, rows_of_failed_invoices, unsettled_rows
from connectors.spreadsheets.archive import is_archived
from domain.competence import BRASILIA
from domain.corrections.reports import LEFT_ALONE
from domain.left_rows import is_held
from domain.problems import Problem
from tasks.corrections.file_names import CORRECTIONS, answer_paths
from tasks.corrections.written_workbooks import last_written
from tasks.runtime import Context
from tasks.services.similar_charges import QUESTIONS
from tasks.views.rejections import NOT_TAKEN

_PARKED: Final = "waiting.rows_parked"
_ASKED_OF_FILE: Final = "waiting.rows_of_file"
_HELD: Final = "waiting.rows_held"
_FAULTY: Final = "waiting.rows_returned"
_ORDER: Final = (_FAULTY, _HELD, _ASKED_OF_FILE, _PARKED)
_SHOWN: Final = 10


def waiting_rows(context: Context) -> Iterator[Problem]:
    """Yield the problems of each file with rows that wait for a person, the newest files first.

    Each thing that a person may have to do has a problem of its own: correct rows, answer questions about them, answer
    the question about the whole file, or complete the records of customers. The last problem counts further rows.
    """
    waiting: dict[tuple[int, str], list[UnsettledRow]] = {}
    since = context.clock() - timedelta(days=context.settings.retention.refused_days)
    for each in returned_rows(context, since=since):
        waiting.setdefault((each.row.file_id, _code_of(each.row.problems)), []).append(each)
    newest = sorted(waiting, key=lambda key: (-key[0], _ORDER.index(key[1])))
    for key in newest[:_SHOWN]:
        yield _line(context, waiting[key], code=key[1])
    if left := newest[_SHOWN:]:
        count = sum(len(waiting[key]) for key in left)
        yield Problem("waiting.rows_more", params={"count": count, "files": len({file_id for file_id, _ in left})})


def _code_of(problems: Collection[Problem]) -> str:
    """Return the code of what a row with these problems waits for."""
    codes = {problem.code for problem in problems}
    if "taker.incomplete" in codes:
        return _PARKED
    if is_held(problems):
        return _ASKED_OF_FILE if codes & QUESTIONS else _HELD
    return _FAULTY


def returned_rows(context: Context, *, since: datetime) -> Iterator[UnsettledRow]:
    """Yield the rows, read since an instant, that a person may correct: refused by us, or by the issuer or the city.

    Leave out rows without a fault (`LEFT_ALONE`).
    """
    for each in context.ledger.read(unsettled_rows, since=since):
        if not any(problem.code in LEFT_ALONE for problem in each.row.problems):
            yield each
    yield from context.ledger.read(rows_of_failed_invoices, since=since, states=NOT_TAKEN)


def _line(context: Context, rows: list[UnsettledRow], *, code: str) -> Problem:
    since = min(each.read_at for each in rows).astimezone(BRASILIA)
    params: dict[str, str | int] = {"count": len(rows), "file": rows[0].file_name, "since": f"{since:%d/%m/%Y %H:%M}"}
    if code == _ASKED_OF_FILE:
        return Problem(code, params=params)
    workbook = _workbook(context, rows[0].row.file_id)
    if workbook is None:
        return Problem("waiting.rows_sheet_gone", params=params)
    return Problem(code, params={**params, "workbook": workbook})


def _workbook(context: Context, file_id: int) -> str | None:
    """Return the name of the file's workbook, written already or not; None if its sheet is no longer archived."""
    file = context.ledger.read(find_file, file_id=file_id)
    assert file is not None
    last = last_written(context, file)
    if last is not None and last.is_there:
        return Path(last.path).name
    if not is_archived(file.sha256, name=file.name, folder=context.archive):
        return None
    return answer_paths(context, file, None, CORRECTIONS)[0].name
