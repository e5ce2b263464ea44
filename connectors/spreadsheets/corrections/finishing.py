"""Finish a corrections workbook: notes, the help page, titles and the property that identifies it."""

from collections.abc import Mapping
from typing import Final

from openpyxl import Workbook as Book
from openpyxl.packaging.custom import StringProperty

from connectors.spreadsheets.corrections.annotations import annotate
from connectors.spreadsheets.corrections.choices import offer_choices
from connectors.spreadsheets.corrections.columns import SheetPlan
from connectors.spreadsheets.corrections.help_page import add_help
from connectors.spreadsheets.corrections.hidden_data_search import FILE_PROPERTY
from domain.corrections.reports import CorrectionsReport

LONGEST_TITLE: Final = 31


def finish(book: Book, plans: Mapping[str, SheetPlan], report: CorrectionsReport, *, is_plain: bool) -> None:
    """Turn a workbook of failing rows into a corrections workbook.

    Add notes, choices, the help page, titles and the property that identifies the workbook.

    Raises:
        KeyError: `report.words` lacks a word.
    """
    for name, plan in plans.items():
        annotate(book[name], plan, report)
    offer_choices(book, plans, report)
    add_help(book, report, is_plain=is_plain)
    first = next(iter(plans))
    book.active = book.sheetnames.index(first)
    for page in book.worksheets:
        page.sheet_view.tabSelected = page.title == first
    _shorten(book)
    book.properties.title = report.words["title"]
    book.properties.creator = "Faturista"
    digest = StringProperty(name=FILE_PROPERTY, value=report.file_sha256)
    book.custom_doc_props.append(digest)  # type: ignore[attr-defined]


def _shorten(book: Book) -> None:
    """Shorten sheet names: some programs allow longer names than Excel."""
    for page in book.worksheets:
        if len(page.title) > LONGEST_TITLE:
            # if two names become equal, openpyxl adds a number
            page.title = page.title[: LONGEST_TITLE - 3]
