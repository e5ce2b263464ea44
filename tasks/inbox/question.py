"""Find the question about a file that resembles an earlier one, and read the file again with a person's answer."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.files import FileRecord
from connectors.spreadsheets.archive import archived
from domain.problems import FaturistaError, Problem
from domain.staff import Actor
from domain.states import RowState
from tasks.runtime import Context
from tasks.services.similar_charges import QUESTIONS
from tasks.stations.intake import find_dropped
from tasks.stations.read import read_file
from tasks.stations.reading_options import options_of, with_operator


@dataclass(frozen=True, slots=True)
class AnsweredFile:
    """The archived file and its new reading, which stations 3 to 5 process next."""

    path: Path
    reading: int


def open_question(context: Context, file: FileRecord) -> Problem | None:
    """Return the question that a file's newest reading waits for, or None."""
    last = context.ledger.read(ledger_files.last_reading, file.id)
    if last is None:
        return None
    refused = context.ledger.read(ledger_rows.rows_of, last.id, RowState.REFUSED, limit=context.settings.limits.rows)
    return next((each for row in refused for each in row.problems if each.code in QUESTIONS), None)


def answer_question(
    context: Context, path: Path, answer: Literal["additional", "correction"], *, actor: Actor, because: str
) -> AnsweredFile:
    """Read a file again with a person's answer.

    Raises:
        FaturistaError: The file was never dropped, or no question about it is open (any more).
    """
    file = find_dropped(context, path)
    last = context.ledger.read(ledger_files.last_reading, file.id)
    if last is None or open_question(context, file) is None:
        raise FaturistaError(Problem("file.no_question", params={"name": file.name}))
    options = with_operator(replace(options_of(last.options), answer=answer, because=because), actor)
    # another person may answer at the same moment
    reading, _ = read_file(context, file.id, options, answered=last.id)
    return AnsweredFile(archived(file.sha256, name=file.name, folder=context.archive), reading)
