"""Annotate a small workbook with its faults: our three columns, colours of bad cells, comments, and the tags.

Saving the workbook drops the shared texts that no cell uses, so that no data of correct rows remains in the file.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Final

from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from connectors.spreadsheets.corrections.columns import TAGS_HEADER, SheetPlan
from connectors.spreadsheets.corrections.values import cell_at, put_text, writable
from connectors.spreadsheets.formats.sheet_metadata import OUR_AUTHOR
from connectors.spreadsheets.writers.safe_files import A4, FOOTER, MARGINS, pages_wide
from domain.corrections.reports import CorrectionsReport, FailingRow, Fault

BAD: Final = PatternFill("solid", fgColor="FFF9C9C4")
NOTE: Final = PatternFill("solid", fgColor="FFFDF3DD")
_NOTHING: Final = PatternFill()
_STATUS_WIDTH, _MEND_WIDTH, _TAGS_WIDTH, _DECISION_WIDTH = 32, 64, 20, 16
_LINE_HEIGHT: Final = 15
_STATUS_COLOUR, _MEND_COLOUR = "FF80560B", "FF5A3A05"
_PLAIN_HEADER: Final = Font(bold=True)
_COMMENT_WIDTH, _COMMENT_LINE, _COMMENT_LETTERS = 330, 19, 44


def annotate(page: Worksheet, plan: SheetPlan, report: CorrectionsReport) -> None:
    """Annotate one sheet. `page.title` is the sheet's name in the report."""
    # read once: openpyxl computes it from every cell
    width = page.max_column
    headers = {column: _text(page, plan.header_row, column) for column in range(width)}
    headers |= {column: report.words[word] for word, column in plan.added.items()}
    _head(page, plan, report)
    for row in report.rows_of(page.title):
        _annotate_row(page, plan, row, width=width)
        _say(page, plan, row, headers=headers, words=report.words)
    pane = page.sheet_view.pane
    frozen = 0 if pane is None else int(pane.xSplit or 0)
    page.freeze_panes = cell_at(page, plan.header_row + 1, frozen)
    shown = [look.width or 0 for look in page.column_dimensions.values() if not look.hidden]
    on_paper(page, wide=pages_wide(sum(shown)))
    page.print_title_rows = f"{plan.header_row}:{plan.header_row}"


def on_paper(page: Worksheet, *, wide: int = 1) -> None:
    """Set up printing on A4 landscape, `wide` pages wide; drop the original's print area, which lacks our columns."""
    page.print_area = None
    page.page_setup.orientation, page.page_setup.paperSize = "landscape", A4
    page.page_setup.fitToWidth, page.page_setup.fitToHeight = wide, 0
    page.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    page.page_margins = PageMargins(**MARGINS)
    assert page.oddFooter is not None
    page.oddFooter.left.text, page.oddFooter.right.text = FOOTER


def _head(page: Worksheet, plan: SheetPlan, report: CorrectionsReport) -> None:
    model = cell_at(page, plan.header_row, plan.first)
    ours = [(plan.tags, TAGS_HEADER), (plan.status, report.words["status"]), (plan.mend, report.words["mend"])]
    ours += [(column, report.words[word]) for word, column in plan.added.items()]
    for column, text in ours:
        cell = cell_at(page, plan.header_row, column)
        put_text(cell, text)
        if model.has_style:
            for part in ("font", "fill", "border", "alignment"):
                setattr(cell, part, copy(getattr(model, part)))
        else:
            cell.font = _PLAIN_HEADER
    widths = [(plan.tags, _TAGS_WIDTH), (plan.status, _STATUS_WIDTH), (plan.mend, _MEND_WIDTH)]
    widths += [(column, _DECISION_WIDTH) for column in plan.added.values()]
    for column, width in widths:
        look = page.column_dimensions[get_column_letter(column + 1)]
        look.width, look.hidden = width, column == plan.tags


def _annotate_row(page: Worksheet, plan: SheetPlan, row: FailingRow, *, width: int) -> None:
    number = plan.rows[row.row]
    for column in range(width):
        cell = page.cell(number, column + 1)
        if cell.fill.fgColor.rgb in (BAD.fgColor.rgb, NOTE.fgColor.rgb):
            # a colour of an earlier corrections workbook, for a fault that is gone
            cell.fill = _NOTHING
    tag = cell_at(page, number, plan.tags)
    put_text(tag, row.tag)
    tag.number_format = "@"
    for word, column in plan.added.items():
        if word == "retry" or (word == "release" and row.can_release):
            # the person's answer in an earlier workbook was about other faults
            cell_at(page, number, column).value = None


def _say(
    page: Worksheet, plan: SheetPlan, row: FailingRow, *, headers: dict[int, str], words: Mapping[str, str]
) -> None:
    number, words_for_row = plan.rows[row.row], words["row_was"].format(row=row.row)
    notes: dict[int, list[str]] = {plan.first: []}
    lines = []
    for fault in row.faults:
        column = plan.of(fault)
        if column is not None:
            notes.setdefault(column, []).append(_sentence(fault))
            cell_at(page, number, column).fill = BAD
        lines.append(": ".join(filter(None, (headers.get(column, "") if column is not None else "", _sentence(fault)))))
    if len(notes) == 1 and not notes[plan.first]:
        lines.append(words["no_cell"])
    status, mend = cell_at(page, number, plan.status), cell_at(page, number, plan.mend)
    put_text(status, f"{row.status}\n{words_for_row}")
    put_text(mend, "\n".join(lines))
    model = cell_at(page, number, plan.first).font
    for cell, colour in ((status, _STATUS_COLOUR), (mend, _MEND_COLOUR)):
        cell.font = Font(name=model.name, size=model.size, color=colour, bold=cell is status)
        cell.fill, cell.alignment = NOTE, Alignment(vertical="top", wrap_text=True)
    # not every program fits a row's height to its wrapped text
    page.row_dimensions[number].height = max(2, lines_of(lines, _MEND_WIDTH)) * _LINE_HEIGHT
    for column, texts in notes.items():
        ends = [words_for_row, row.tag] if column == plan.first else []
        cell_at(page, number, column).comment = _comment([*texts, *ends])


def lines_of(paragraphs: Iterable[str], width: int) -> int:
    """Return a high estimate of the lines that these texts need in a column of `width` characters."""
    return sum(1 + len(text) * 11 // 10 // width for text in paragraphs)


def _sentence(fault: Fault) -> str:
    return " ".join(filter(None, (fault.what, fault.mend)))


def _comment(lines: list[str]) -> Comment:
    text = writable("\n".join(lines))
    height = (lines_of(lines, _COMMENT_LETTERS) + 1) * _COMMENT_LINE
    return Comment(text, OUR_AUTHOR, height=height, width=_COMMENT_WIDTH)


def _text(page: Worksheet, row: int, column: int) -> str:
    value = page.cell(row, column + 1).value
    return " ".join(value.split()) if isinstance(value, str) else ""
