"""Write the answer to a dropped file: the outcome workbook and the corrections.

The first answer follows the reading. A change in the ledger causes another one, at most every `inbox.answer_every_s`
seconds. The ledger stores which change an answer includes and when it was written, so that only one worker writes it.
"""

from datetime import timedelta
from pathlib import Path
from typing import Final

from connectors.inbox.drops import Drop
from connectors.ledger import files as ledger_files
from connectors.ledger.sheets.answers import (
    claim_answer,
    files_to_answer,
    newest_answered_change,
    newest_change,
    note_answer,
)
from domain.problems import FaturistaError
from tasks.corrections.workbook import write_back
from tasks.inbox.question import open_question
from tasks.inbox.take import OPERATOR, ask, give_back, put_away, write_same_file_note
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


def close_drop(context: Context, drop: Drop) -> None:
    """Answer a claimed file that was read to its end, and remove it; return any other file to the inbox."""
    try:
        _close(context, drop)
    finally:
        give_back(context, drop)


def _close(context: Context, drop: Drop) -> None:
    try:
        file = find_dropped(context, drop.path)
    except FaturistaError:
        return
    last = context.ledger.read(ledger_files.last_reading, file.id)
    if last is not None and last.finished_at is not None:
        answer = answer_file(context, file.id)
        question = open_question(context, file)
        if question is not None:
            ask(context, drop, question)
        if drop.path.name != file.name:
            write_same_file_note(context, drop, file.name, answer)
        put_away(context, drop)


def _is_outdated(context: Context, file_id: int) -> bool:
    newest = context.ledger.read(newest_change, file_id)
    return newest is not None and newest != context.ledger.read(newest_answered_change, file_id)
