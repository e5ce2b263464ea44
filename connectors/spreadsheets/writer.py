"""The outcome workbook: what became of every row of the file, and the totals, for the people who dropped it."""

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import xlsxwriter

from connectors.spreadsheets.outcome.lines import LinesPage
from connectors.spreadsheets.outcome.styles import Styles
from connectors.spreadsheets.outcome.summary import SummaryPage
from domain.reports import OutcomeReport

OPTIONS: Final = {
    "constant_memory": True,
    # what people typed is text: never a formula, a link or a number
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_PIECE: Final = 1 << 20


def write_outcome(path: Path, report: OutcomeReport) -> str:
    """Write the workbook whole or not at all; returns the SHA-256 of its bytes. Same report, same bytes.

    `report.words` are the catalogue's `outcome` family; raises `KeyError` for a heading that it lacks.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _write(partial, report)
        digest = _digest(partial)
        # whoever sees the name sees the whole workbook
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return digest


def _write(path: Path, report: OutcomeReport) -> None:
    book = xlsxwriter.Workbook(path, OPTIONS)
    made_at: datetime = report.made_at.astimezone(UTC).replace(tzinfo=None)
    book.set_properties({"title": report.words["title"], "created": made_at, "comments": report.file_sha256})
    styles = Styles(book)
    SummaryPage(book, styles, report).write()
    LinesPage(book, styles, report).write()
    book.close()


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
