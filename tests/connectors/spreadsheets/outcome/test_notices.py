"""Warnings that a person can read on paper: within the width, complete, and not too many."""

from pathlib import Path

import openpyxl
import xlsxwriter

from connectors.spreadsheets.outcome.notices import write_notices
from connectors.spreadsheets.writers.styles import Styles


def test_each_is_whole_within_the_width_and_as_high_as_it_needs(tmp_path: Path) -> None:
    texts = ["short", "word " * 50, *(f"number {place}" for place in range(14))]
    with xlsxwriter.Workbook(tmp_path / "w.xlsx", {"strings_to_formulas": False}) as book:
        last = write_notices(book.add_worksheet(), Styles(book), texts, row=2, columns=(1, 4), width=60.0)
    sheet = openpyxl.load_workbook(tmp_path / "w.xlsx").worksheets[0]
    assert last == 15
    assert [sheet.cell(row, 2).value for row in (3, 4, 14, 15)] == ["• short", f"• {texts[1]}", "• number 9", "… + 4"]
    assert {str(span) for span in sheet.merged_cells.ranges} == {f"B{row}:E{row}" for row in range(3, 15)}
    # An empty row is 15 points high.
    assert [sheet.row_dimensions[row].height or 15 for row in (3, 4)] == [15, 75]
