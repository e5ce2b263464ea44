"""Make the corrections workbook that looks like the original, as a guarded process does it."""

import warnings
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any, BinaryIO, Final

import openpyxl

from connectors.spreadsheets.corrections.carving import NotCarvable
from connectors.spreadsheets.corrections.finishing import finish
from connectors.spreadsheets.corrections.shrinking import shrink
from domain.corrections.reports import CorrectionsReport

_ODD_STYLES: Final = (TypeError, ValueError, KeyError, IndexError, AttributeError, zipfile.BadZipFile)


def dressed(content: bytes, arguments: Mapping[str, Any], spool: BinaryIO) -> bool:
    """Write the workbook to the spool; return False, and write nothing, for a file whose markup is unusual."""
    report = CorrectionsReport.from_json(arguments)
    try:
        small, places = shrink(content, report)
        with warnings.catch_warnings():
            # what openpyxl says of styles that it does not know is of no use to anybody here
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(BytesIO(small))
    except (NotCarvable, *_ODD_STYLES):
        return False
    finish(book, places, report, is_plain=False)
    made = BytesIO()
    book.save(made)
    spool.write(made.getvalue())
    return True
