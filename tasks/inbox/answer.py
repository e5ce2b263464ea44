"""The answer to a dropped file: written when it was read, and again whenever something about it changed."""

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
from tasks.runtime import Desk
from tasks.stations.intake import find_dropped
from tasks.stations.report import report_outcome

_KEPT_FRESH: Final = timedelta(days=1)
"""After its last batch closed, or was counted again, a file's answer is looked after for so long."""


def stale_answers(desk: Desk) -> list[int]:
    """Return ids of inbox files with news that their answer does not contain yet."""
    since = desk.clock() - _KEPT_FRESH
    under_way = desk.ledger.read(files_under_way, operator=OPERATOR, since=since)
    return [file_id for file_id in under_way if _told(desk, file_id) != _newest(desk, file_id)]


def answer_file(desk: Desk, file_id: int) -> Path:
    """Write the outcome of a file into the outbox, its failing rows beside it, and remember how far they tell.

    The answers to files that this one corrects are written again: what came of their rows is news for them, too.
    """
    for each in corrected_files(desk, file_id):
        if _told(desk, each) is not None:
            report_outcome(desk, each)
            write_back(desk, each)
    # looked up before it is written: what changes meanwhile is told by the next one
    newest = _newest(desk, file_id)
    path = report_outcome(desk, file_id)
    write_back(desk, file_id)
    mark = _mark(desk, file_id)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    os.utime(mark, ns=(newest * 1_000, newest * 1_000))
    return path


def close_drop(desk: Desk, drop: Drop) -> None:
    """Answer a file that was read for good and let it leave; give any other back to the inbox."""
    try:
        _close(desk, drop)
    finally:
        give_back(desk, drop)


def _close(desk: Desk, drop: Drop) -> None:
    try:
        file = find_dropped(desk, drop.path)
    except FaturistaError:
        return
    last = desk.ledger.read(ledger_files.last_reading, file.id)
    if last is not None and last.finished_at is not None:
        answer = answer_file(desk, file.id)
        question = open_question(desk, file)
        if question is not None:
            ask(desk, drop, question)
        if drop.path.name != file.name:
            say_same(desk, drop, file.name, answer)
        put_away(desk, drop)


def _newest(desk: Desk, file_id: int) -> int:
    """Return the newest change in microseconds since 1970."""
    at = desk.ledger.read(newest_change, file_id)
    return 0 if at is None else to_micros(at)


def _told(desk: Desk, file_id: int) -> int | None:
    try:
        return _mark(desk, file_id).stat().st_mtime_ns // 1_000
    except FileNotFoundError:
        return None


def _mark(desk: Desk, file_id: int) -> Path:
    return Path(desk.settings.paths.answered) / str(file_id)
