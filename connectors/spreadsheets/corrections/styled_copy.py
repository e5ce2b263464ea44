"""Make the corrections workbook in the original's format, within a guarded process."""

import warnings
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any, BinaryIO, Final

import openpyxl

from connectors.spreadsheets.corrections.finishing import finish
from connectors.spreadsheets.corrections.markup import UnusualMarkup
from connectors.spreadsheets.corrections.shrinking import shrink
from domain.corrections.reports import CorrectionsReport

_ODD_STYLES: Final = (TypeError, ValueError, KeyError, IndexError, AttributeError, zipfile.BadZipFile)


def write_styled(content: bytes, arguments: Mapping[str, Any], spool: BinaryIO) -> bool:
    """Write the workbook to the spool; for a file with unusual markup, write nothing and return False."""
    report = CorrectionsReport.from_json(arguments)
    try:
        small, places = shrink(content, report)
        with warnings.catch_warnings():
            # openpyxl's warnings about unknown styles help nobody here
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(BytesIO(small))
    except (UnusualMarkup, *_ODD_STYLES):
        return False
    finish(book, places, report, is_plain=False)
    made = BytesIO()
    book.save(made)
    spool.write(made.getvalue())
    return True
