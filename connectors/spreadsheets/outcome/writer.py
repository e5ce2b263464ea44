"""The outcome workbook for the people who dropped the file: the result of every row, and the totals."""

import hashlib
from pathlib import Path
from typing import Final

from connectors.spreadsheets.outcome.columns import write_columns
from connectors.spreadsheets.outcome.lines import LinesPage
from connectors.spreadsheets.outcome.summary import SummaryPage
from connectors.spreadsheets.writers.safe_files import open_book, write_atomically
from connectors.spreadsheets.writers.styles import Styles
from domain.reports import OutcomeReport

_PIECE: Final = 1 << 20


def write_outcome(path: Path, report: OutcomeReport) -> str:
    """Write the workbook completely or not at all. Return the SHA-256 of its bytes. Equal reports give equal bytes.

    `report.words` are the catalogue's `outcome` family. Raises `KeyError` for a missing heading.
    """
    digest = ""

    def fill(partial: Path) -> None:
        nonlocal digest
        book = open_book(partial, report.words["title"], made_at=report.made_at, comments=report.file_sha256)
        styles = Styles(book)
        SummaryPage(book, styles, report).write()
        LinesPage(book, styles, report).write()
        write_columns(book, styles, report)
        book.close()
        digest = _digest(partial)

    write_atomically(path, fill)
    return digest


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
