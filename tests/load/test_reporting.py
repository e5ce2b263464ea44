"""The bench of reports works: it writes the same lines with formats and without."""

from pathlib import Path

import openpyxl

from tests.load import reporting


def test_both_ways_write_every_line(tmp_path: Path) -> None:
    found = [reporting.measured(way, tmp_path, 30) for way in ("bare", "report")]
    assert [each.rows for each in found] == [30, 30]
    plain = openpyxl.load_workbook(tmp_path / "bare.xlsx").worksheets[0]
    lines = openpyxl.load_workbook(tmp_path / "report.xlsx").worksheets[1]
    seen = [[cell.value for cell in row[:2]] for row in lines.iter_rows(min_row=3)]
    assert seen == [[cell.value for cell in row[:2]] for row in plain.iter_rows()]
    assert lines.max_column == plain.max_column
