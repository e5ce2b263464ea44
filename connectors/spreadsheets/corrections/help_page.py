"""The last sheet of a corrections workbook: instructions, and every reason with its remedy and its rows."""

from collections.abc import Mapping
from typing import Final

from openpyxl import Workbook as Book
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.worksheet import Worksheet

from connectors.spreadsheets.corrections.annotations import lines_of, on_paper
from connectors.spreadsheets.corrections.values import cell_at, put_text
from domain.corrections.reports import CorrectionsReport

ROWS_NAMED: Final = 40
_INK: Final = "FF1F2A44"
_WIDTHS: Final = {"A": 3, "B": 60, "C": 60, "D": 9, "E": 36}
_FONT: Final = "Calibri"
_LINE_HEIGHT: Final = 16
_TITLE: Final = Font(name=_FONT, bold=True, size=16, color=_INK)
_STEP: Final = Font(name=_FONT, size=11, color=_INK)
_MUTED: Final = Font(name=_FONT, size=10, color="FF6B7280")
_HEADER: Final = Font(name=_FONT, bold=True, color="FFFFFFFF")
_HEADER_FILL: Final = PatternFill("solid", fgColor=_INK)
_LINE: Final = Border(bottom=Side("thin", color="FFD5DAE3"))
_TOP: Final = Alignment(vertical="top", wrap_text=True)
_CENTRED: Final = Alignment(horizontal="center", vertical="top")


def add_help(book: Book, report: CorrectionsReport, *, is_plain: bool) -> None:
    """Append the sheet, replacing an earlier one. `is_plain`: the workbook has values without the original's format."""
    words = report.words
    for each in report.every_words:
        if each["help"] in book.sheetnames:
            book.remove(book[each["help"]])
    page = book.create_sheet(words["help"])
    page.sheet_view.showGridLines = False
    for letter, width in _WIDTHS.items():
        page.column_dimensions[letter].width = width
    _put(page, 2, 1, words["title"], _TITLE)
    _put(page, 3, 1, words["of_file"], _MUTED)
    steps = [words["step_mend"], words["step_keep"], words["step_drop"], words["step_good"]]
    if any(row.can_release for row in report.rows):
        steps.append(words["step_release"])
    if is_plain:
        steps.append(words["step_plain"])
    for number, step in enumerate(steps, start=5):
        _put(page, number, 1, step, _STEP)
        page.merge_cells(start_row=number, start_column=2, end_row=number, end_column=5)
        cell_at(page, number, 1).alignment = _TOP
        page.row_dimensions[number].height = lines_of([step], 150) * _LINE_HEIGHT
    _reasons(page, report, words, top=6 + len(steps))
    on_paper(page)


def _reasons(page: Worksheet, report: CorrectionsReport, words: Mapping[str, str], *, top: int) -> None:
    for column, name in enumerate(("reason", "how", "count", "rows"), start=1):
        cell = cell_at(page, top, column)
        put_text(cell, words[name])
        cell.font, cell.fill, cell.alignment = _HEADER, _HEADER_FILL, Alignment(vertical="center", wrap_text=True)
    for number, reason in enumerate(report.reasons, start=top + 1):
        more = " …" if len(reason.rows) > ROWS_NAMED else ""
        rows = ", ".join(map(str, reason.rows[:ROWS_NAMED])) + more
        for column, text in ((1, reason.what), (2, reason.mend), (4, rows)):
            _put(page, number, column, text, _STEP)
        cell_at(page, number, 3).value = len(reason.rows)
        cell_at(page, number, 3).font = _STEP
        height = max(lines_of([reason.what], 60), lines_of([reason.mend], 60), lines_of([rows], 36))
        page.row_dimensions[number].height = height * _LINE_HEIGHT
        for column in range(1, 5):
            cell = cell_at(page, number, column)
            cell.alignment, cell.border = _CENTRED if column == 3 else _TOP, _LINE


def _put(page: Worksheet, row: int, column: int, text: str, font: Font) -> None:
    cell = cell_at(page, row, column)
    put_text(cell, text)
    cell.font = font
