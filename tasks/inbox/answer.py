"""Write the answer to a dropped file when it was read, and again whenever something about it changed."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Final

from connectors.inbox.drops import Drop
from connectors.ledger import files as ledger_files
from connectors.ledger.database.sql import to_micros
from connectors.ledger.sheets.answers import files_under_way, newest_change
from domain.problems import FaturistaError
from tasks.corrections.related_files import corrected_files
from tasks.corrections.workbook import write_back
from tasks.inbox.question import open_question
from tasks.inbox.take import OPERATOR, ask, give_back, put_away, say_same
from tasks.runtime import Context
from tasks.stations.intake import find_dropped
from tasks.stations.report import report_outcome

_KEPT_FRESH: Final = timedelta(days=1)
"""Seconds for which a file's answer stays up to date after its last batch closed or was recounted."""


def stale_answers(context: Context) -> list[int]:
    """Return ids of inbox files whose answer is out of date."""
    since = context.clock() - _KEPT_FRESH
    under_way = context.ledger.read(files_under_way, operator=OPERATOR, since=since)
    return [file_id for file_id in under_way if _told(context, file_id) != _newest(context, file_id)]


def answer_file(context: Context, file_id: int) -> Path:
    """Write a file's outcome and its failing rows into the outbox; record which changes they include.

    Write the answers to the files that this file corrects again: the outcome of their rows has changed, too.
    """
    for each in corrected_files(context, file_id):
        if _told(context, each) is not None:
            report_outcome(context, each)
            write_back(context, each)
    # Read the newest change before writing: the next answer includes what changes meanwhile.
    newest = _newest(context, file_id)
    path = report_outcome(context, file_id)
    write_back(context, file_id)
    mark = _mark(context, file_id)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    os.utime(mark, ns=(newest * 1_000, newest * 1_000))
    return path


def close_drop(context: Context, drop: Drop) -> None:
    """Answer a file that was read completely and remove it from the inbox; return any other file to the inbox."""
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
            say_same(context, drop, file.name, answer)
        put_away(context, drop)


def _newest(context: Context, file_id: int) -> int:
    """Return the newest change in microseconds since 1970."""
    at = context.ledger.read(newest_change, file_id)
    return 0 if at is None else to_micros(at)


def _told(context: Context, file_id: int) -> int | None:
    try:
        return _mark(context, file_id).stat().st_mtime_ns // 1_000
    except FileNotFoundError:
        return None


def _mark(context: Context, file_id: int) -> Path:
    return Path(context.settings.paths.answered) / str(file_id)
