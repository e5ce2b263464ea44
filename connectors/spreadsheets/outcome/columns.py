"""The last page of the outcome workbook: the field as which each column of the sheet was read."""

from typing import Final

from xlsxwriter import Workbook

from connectors.spreadsheets.writers.safe_files import on_paper
from connectors.spreadsheets.writers.styles import RULE, Styles
from domain.reports import OutcomeReport

_WIDTHS: Final = (10, 44, 44)
_HEADINGS: Final = ("column_letter", "column_header", "column_field")


def write_columns(book: Workbook, styles: Styles, report: OutcomeReport) -> None:
    """Write the page, unless the report has no columns. A separate page prints on its own paper."""
    if not report.columns:
        return
    sheet = book.add_worksheet(report.words["page_columns"])
    sheet.hide_gridlines(2)
    on_paper(sheet, is_upright=True)
    for column, width in enumerate(_WIDTHS):
        sheet.set_column(column, column, width)
    sheet.set_row(0, 28)
    sheet.write_string(0, 0, report.words["columns"], styles.title)
    for column, word in enumerate(_HEADINGS):
        sheet.write_string(2, column, report.words[word], styles.header_indented)
    look = styles.of(bottom=1, bottom_color=RULE, indent=1, num_format="@", text_wrap=True)
    for row, texts in enumerate(report.columns, start=3):
        for column, text in enumerate(texts):
            sheet.write_string(row, column, text, look)
    sheet.freeze_panes(3, 0)
    sheet.repeat_rows(2)
