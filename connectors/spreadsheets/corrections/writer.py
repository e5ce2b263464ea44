"""Write the corrections workbook, completely or not at all."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final

from connectors.spreadsheets.corrections.finishing import finish
from connectors.spreadsheets.corrections.values import rewrite
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from connectors.spreadsheets.formats.sniff import kind_by_content
from connectors.spreadsheets.guard.client import open_spool, run_guarded
from connectors.spreadsheets.workbook import bounds_of
from connectors.spreadsheets.writers.safe_files import write_atomically
from domain.corrections.reports import CorrectionsReport
from domain.problems import InputError

WITH_FORMATS: Final = ("xlsx", "xlsm")
"""File formats whose cell formats are preserved."""


def write_corrections(
    path: Path,
    content: bytes,
    report: CorrectionsReport,
    *,
    reopened: Callable[[], Workbook],
    limits: Limits | None = None,
) -> bool:
    """Write the workbook of a file's failing rows. Return whether it keeps the original's format.

    For XLSX and XLSM, a guarded process makes it from the person's own workbook, without macros, and with values for
    formulas. For other formats, and for unusual markup, it is a new workbook with the same values.

    Args:
        path: The target of the workbook.
        content: The bytes of the dropped file.
        report: The failing rows and all texts of the workbook.
        reopened: Opens the dropped file again.
        limits: The limits of the file, which bound the guarded process.

    Raises:
        KeyError: `report.words` lacks a word.
    """
    looks: list[bool] = []
    write_atomically(path, lambda partial: looks.append(_fill(partial, content, report, reopened, limits or Limits())))
    return looks[0]


def _fill(
    partial: Path, content: bytes, report: CorrectionsReport, reopened: Callable[[], Workbook], limits: Limits
) -> bool:
    if kind_by_content(content) in WITH_FORMATS and _write_styled(partial, content, report, limits):
        return True
    with warnings.catch_warnings():
        # openpyxl warns about long sheet titles; `finish` shortens them
        warnings.simplefilter("ignore")
        book, places = rewrite(reopened(), report)
    finish(book, places, report, is_plain=True)
    book.save(partial)
    return False


def _write_styled(partial: Path, content: bytes, report: CorrectionsReport, limits: Limits) -> bool:
    with open(open_spool(), "rb") as spool:  # noqa: PTH123 - has no path
        try:
            is_done = run_guarded(
                "connectors.spreadsheets.corrections.styled_copy:write_styled",
                content,
                report.to_json(),
                bounds=bounds_of(limits),
                spool=spool.fileno(),
            )
        except InputError:
            # the original is too costly to keep its format
            return False
        if is_done:
            spool.seek(0)
            with partial.open("wb") as file:
                shutil.copyfileobj(spool, file)
        return bool(is_done)
