"""The bench of imports works: every row of both files is read, checked and stored."""

from datetime import date
from pathlib import Path

from connectors.nfse.emulator.seed import default_company
from connectors.spreadsheets.formats.sheets import Percent
from connectors.spreadsheets.workbook import open_workbook
from tests.load import sheets, workbooks


def test_a_month_as_excel_writes_it_is_imported_whole(tmp_path: Path) -> None:
    book = tmp_path / "month.xlsx"
    workbooks.write_month(book, 60)
    head, first, *others = open_workbook(book).sheets[0].rows()
    assert (len(head.cells), len(others)) == (workbooks.WIDTH, 59)
    assert isinstance(first.cells[20], Percent)
    assert first.cells[25] == date(2026, 11, 1)
    assert sheets.measured("iterate", book).rows == 61
    assert sheets.imported(tmp_path, book).rows == 60


def test_the_service_codes_of_a_month_are_those_of_its_templates() -> None:
    own = default_company()["emitters"][0]["service_values"]
    codes = {each["name"]: each["service_item_code"] for each in own}
    assert all(codes[model] == code.replace(".", "").zfill(4) for model, code in workbooks.MODELS)


def test_a_year_as_csv_is_imported_whole(tmp_path: Path) -> None:
    sheet = tmp_path / "year.csv"
    workbooks.write_year(sheet, 40)
    ours = sheets.imported(tmp_path, sheet)
    assert ours.rows == 40
    assert ours.peak_mb > 10
