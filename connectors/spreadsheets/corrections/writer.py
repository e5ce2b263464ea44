"""Writes the corrections workbook beside whatever else goes out: whole or not at all."""

import os
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final

import openpyxl
from openpyxl import Workbook as Book
from openpyxl.packaging.custom import StringProperty

from connectors.spreadsheets.corrections.carriers import FILE_PROPERTY
from connectors.spreadsheets.corrections.carving import NotCarvable
from connectors.spreadsheets.corrections.dressing import dress
from connectors.spreadsheets.corrections.help_page import add_help
from connectors.spreadsheets.corrections.places import Place
from connectors.spreadsheets.corrections.shrinking import shrink
from connectors.spreadsheets.corrections.values import rewrite
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.formats.sniff import kind_by_content
from domain.corrections.reports import CorrectionsReport

WITH_LOOKS: Final = ("xlsx", "xlsm")
"""Kinds of files whose own looks come back."""

LONGEST_TITLE: Final = 31
_ODD_STYLES: Final = (TypeError, ValueError, KeyError, IndexError, AttributeError, zipfile.BadZipFile)


def write_corrections(
    path: Path, content: bytes, report: CorrectionsReport, *, reopened: Callable[[], Workbook]
) -> bool:
    """Write the workbook of a file's failing rows; whether it has the looks of the original.

    From XLSX and XLSM it is the person's own workbook without macros and formulas, their values kept. Whatever else
    was dropped, or a workbook whose markup is unusual, comes back with the same content in a plain look; `reopened`
    gives its cells. Raises `KeyError` for a word that `report.words` lacks.
    """
    book, places, has_looks = _small(content, report, reopened)
    for name, place in places.items():
        dress(book[name], place, report)
    add_help(book, report, is_plain=not has_looks)
    first = next(iter(places))
    book.active = book.sheetnames.index(first)
    for page in book.worksheets:
        page.sheet_view.tabSelected = page.title == first
    _shorten(book)
    book.properties.title = report.words["title"]
    book.properties.creator = "Faturista"
    digest = StringProperty(name=FILE_PROPERTY, value=report.file_sha256)
    book.custom_doc_props.append(digest)  # type: ignore[attr-defined]
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        book.save(partial)
        # whoever sees the name sees the whole workbook
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return has_looks


def _shorten(book: Book) -> None:
    """Other programs allow longer names of sheets than the one that most people have."""
    for page in book.worksheets:
        if len(page.title) > LONGEST_TITLE:
            # where two would then be called the same, openpyxl puts a number behind
            page.title = page.title[: LONGEST_TITLE - 3]


def _small(
    content: bytes, report: CorrectionsReport, reopened: Callable[[], Workbook]
) -> tuple[Book, dict[str, Place], bool]:
    if kind_by_content(content) in WITH_LOOKS:
        try:
            small, places = shrink(content, report)
            with warnings.catch_warnings():
                # what it says of styles that it does not know is of no use to anybody here
                warnings.simplefilter("ignore")
                return openpyxl.load_workbook(BytesIO(small)), places, True
        except (NotCarvable, *_ODD_STYLES):
            pass
    with warnings.catch_warnings():
        # of titles that are too long: they are cut when everything stands in its place
        warnings.simplefilter("ignore")
        return *rewrite(reopened(), report), False
