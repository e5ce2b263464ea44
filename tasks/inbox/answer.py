"""Write the answer to a dropped file: the outcome workbook and the corrections.

The first answer follows the reading. A change in the ledger causes another one, at most every `inbox.answer_every_s`
seconds. The ledger stores which change an answer includes and when it was written, so that only one worker writes it.
"""

from datetime import timedelta
from pathlib import Path
from typing import Final

from connectors.inbox.drops import Drop
from connectors.ledger import files as ledger_files
from connectors.ledger.files import ReadingRecord
from connectors.ledger.sheets.answers import (
    claim_answer,
    files_to_answer,
    has_answer,
    newest_answered_change,
    newest_change,
    note_answer,
)
from domain.problems import FaturistaError
from tasks.corrections.workbook import write_back
from tasks.inbox.copies import CopiedFile, write_note_of_copy
from tasks.inbox.drops import OPERATOR, archive_drop, give_back, write_question
from tasks.inbox.question import open_question
from tasks.runtime import Context
from tasks.stations.intake import find_dropped
from tasks.stations.report import report_outcome

_KEPT_FRESH: Final = timedelta(days=1)
"""How long we renew an answer after the last reading of its file, or the last closing or check of its batches."""


def stale_answers(context: Context) -> list[int]:
    """Return ids of inbox files whose answer is out of date, and was not written just now."""
    since, every_s = context.clock() - _KEPT_FRESH, context.settings.inbox.answer_every_s
    found = context.ledger.read(files_to_answer, operator=OPERATOR, since=since, every_s=every_s)
    return [file_id for file_id in found if _is_outdated(context, file_id)]


def renew_answer(context: Context, file_id: int) -> str:
    """Write a file's answer again. Return its path, empty if another process wrote it just now."""
    is_mine = context.ledger.write(claim_answer, file_id, every_s=context.settings.inbox.answer_every_s)
    return str(answer_file(context, file_id)) if is_mine else ""


def answer_file(context: Context, file_id: int) -> Path:
    """Write a file's outcome and its failing rows into the outbox. Record which change they include."""
    # Read the newest change before writing: the next answer includes what changes meanwhile.
    newest = context.ledger.read(newest_change, file_id)
    path = report_outcome(context, file_id)
    write_back(context, file_id)
    context.ledger.write(note_answer, file_id, change_at=newest)
    return path


def close_drop(context: Context, drop: Drop, reading_id: int) -> None:
    """Answer a claimed file that was read to its end, and remove it; return any other file to the inbox.

    `reading_id` is the reading that this drop caused, or that it continued.
    """
    try:
        _close(context, drop, reading_id)
    finally:
        give_back(context, drop)


def _close(context: Context, drop: Drop, reading_id: int) -> None:
    try:
        file = find_dropped(context, drop.path)
    except FaturistaError:
        return
    last = context.ledger.read(ledger_files.last_reading, file.id)
    if last is not None and last.finished_at is not None:
        earlier = _earlier_drop(context, file.id, reading_id)
        answer = answer_file(context, file.id)
        question = open_question(context, file)
        if question is not None:
            write_question(context, drop, question)
        if earlier is not None or drop.path.name != file.name:
            write_note_of_copy(context, drop, reading_id, CopiedFile(file.name, earlier, answer.name))
        archive_drop(context, drop)


def _earlier_drop(context: Context, file_id: int, reading_id: int) -> ReadingRecord | None:
    """Return the newest reading that another copy of the file caused before.

    None if the file itself caused it, and went back into the inbox before it had an answer.
    """
    reading = context.ledger.read(ledger_files.reading_of, reading_id)
    found = context.ledger.read(ledger_files.earlier_reading, reading)
    if found is not None and found.operator == OPERATOR and not context.ledger.read(has_answer, file_id):
        return None
    return found


def _is_outdated(context: Context, file_id: int) -> bool:
    newest = context.ledger.read(newest_change, file_id)
    return newest is not None and newest != context.ledger.read(newest_answered_change, file_id)
