"""Build the corrections workbook from cell values only, for other formats than XLSX and for unusual markup."""

import re
from datetime import date, datetime, time, timedelta
from math import isfinite
from typing import Any, Final

from openpyxl import Workbook as Book
from openpyxl.cell import Cell as BookCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from connectors.spreadsheets.corrections.columns import SheetPlan, plan_sheet
from connectors.spreadsheets.corrections.shrinking import OTHER_ROWS_AT_MOST
from connectors.spreadsheets.formats.sheets import Cell, CellError, Covered, Sheet, Uncalculated, Workbook
from connectors.spreadsheets.parsers.cells import NO_NUMBER
from domain.corrections.reports import CorrectionsReport

_NARROWEST, _WIDEST = 10, 46
_NO_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONG_NUMBER: Final = 10**11
_HEADER_FONT: Final = Font(bold=True)
_HEADER_FILL: Final = PatternFill("solid", fgColor="FFE6E9F0")


def rewrite(workbook: Workbook, report: CorrectionsReport) -> tuple[Book, dict[str, SheetPlan]]:
    """Return a new workbook of values and the plans of its rows and columns by sheet."""
    book = Book()
    book.remove(book.worksheets[0])
    plans: dict[str, SheetPlan] = {}
    for sheet in workbook.sheets:
        page = book.create_sheet(sheet.name)
        if sheet.name in report.header_rows:
            plans[sheet.name] = _write_failing(page, sheet, report)
        else:
            for row in sheet.rows():
                if row.number > OTHER_ROWS_AT_MOST:
                    break
                _write(page, row.number, dict(enumerate(row.cells)))
    return book, plans


def _write_failing(page: Worksheet, sheet: Sheet, report: CorrectionsReport) -> SheetPlan:
    header_row = report.header_rows[sheet.name]
    failing = {row.row for row in report.rows_of(sheet.name)}
    rows = [row for row in sheet.rows() if row.number <= header_row or row.number in failing]
    header = next((row.cells for row in rows if row.number == header_row), ())
    headers = {column: text for column, text in enumerate(header) if isinstance(text, str) and text.strip()}
    width = max((len(row.cells) - 1 for row in rows), default=0)
    found = plan_sheet(
        headers,
        header_row=header_row,
        failing=failing,
        words=report.every_words,
        width=width,
        more=report.added_columns(sheet.name),
    )
    for row in rows:
        number = found.row(row.number)
        assert number is not None
        _write(page, number, {found.column(column): cell for column, cell in enumerate(row.cells)})
    for column in headers:
        cell = cell_at(page, header_row, found.column(column))
        cell.font, cell.fill = _HEADER_FONT, _HEADER_FILL
        cell.alignment = Alignment(vertical="center", wrap_text=True)
    _widen(page, header_row)
    return found


def _widen(page: Worksheet, header_row: int) -> None:
    """Fit the widths of columns to their contents; titles above the header may overlap their neighbours."""
    for number, column in enumerate(page.iter_cols(min_row=header_row), start=1):
        longest = max((len(str(cell.value)) for cell in column if cell.value is not None), default=0)
        page.column_dimensions[get_column_letter(number)].width = min(max(longest + 2, _NARROWEST), _WIDEST)


def _write(page: Worksheet, number: int, cells: dict[int, Cell]) -> None:
    for column, value in cells.items():
        if value is not None and not isinstance(value, Uncalculated | Covered):
            _put(cell_at(page, number, column), value)


def _put(cell: BookCell, value: Any) -> None:
    if isinstance(value, float) and not isfinite(value):
        value = CellError(NO_NUMBER)
    if isinstance(value, str | CellError):
        put_text(cell, value if isinstance(value, str) else value.shown)
        cell.number_format = "@"
        return
    cell.value = value.replace(tzinfo=None) if isinstance(value, datetime) else value
    if isinstance(value, datetime | date):
        has_time = isinstance(value, datetime) and value.time() != time()
        cell.number_format = "dd/mm/yyyy hh:mm" if has_time else "dd/mm/yyyy"
    elif isinstance(value, float) and value.is_integer() and abs(value) >= _LONG_NUMBER:
        # a document that somebody typed as a number would show as 9,9E+13
        cell.number_format = "0"
    elif isinstance(value, timedelta):
        cell.number_format = "[h]:mm:ss"


def cell_at(page: Worksheet, row: int, column: int) -> BookCell:
    """Return the cell at a row (from 1) and a column (from 0), which no merged range may hide."""
    cell = page.cell(row, column + 1)
    assert isinstance(cell, BookCell)
    return cell


def put_text(cell: BookCell, text: str) -> None:
    """Write a text as a text, even if it begins like a formula, without the characters that no workbook can hold."""
    cell.value = writable(text)
    cell.data_type = "s"


def writable(text: str) -> str:
    """Return the text without characters that XML cannot contain: a workbook with one of them does not open."""
    return _NO_XML.sub("", text)
