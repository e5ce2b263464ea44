"""A clerk chooses a template or a city in the cell; a name outside of the list causes a warning, not a refusal."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl import Workbook

from connectors.spreadsheets.corrections.writer import write_corrections
from connectors.spreadsheets.workbook import open_workbook
from domain.corrections.reports import Choices
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.corrections.returned import BAD_AMOUNT, SHEET, WHOLE_ROW, WORDS, month, report

TEMPLATES = ("Consultoria", "Suporte Mensal")


def returned(path: Path, content: bytes, *choices: Choices) -> Workbook:
    asked = replace(report({5: [BAD_AMOUNT], 7: [WHOLE_ROW]}), choices=choices)
    write_corrections(path, content, asked, reopened=lambda: open_workbook(content))
    return openpyxl.load_workbook(BytesIO(path.read_bytes()))


def validations(book: Workbook) -> list[Any]:
    return list(book[SHEET].data_validations.dataValidation)


def test_cells_of_the_failing_rows_offer_the_templates(tmp_path: Path) -> None:
    book = returned(
        tmp_path / "a.xlsx", books.written((SHEET, month())), Choices(sheet=SHEET, column="D", texts=TEMPLATES)
    )
    [offered] = validations(book)
    # The tag column is after the first column, so D has become E.
    assert str(offered.sqref) == "E4:E5"
    assert (offered.type, offered.errorStyle, offered.formula1) == ("list", "warning", "'Listas'!$A$1:$A$2")
    lists = book[WORDS["lists"]]
    assert (lists.sheet_state, [cell.value for cell in lists["A"]]) == ("hidden", list(TEMPLATES))


def test_workbook_that_comes_back_again_has_its_lists_once(tmp_path: Path) -> None:
    first = tmp_path / "a.xlsx"
    returned(first, books.written((SHEET, month())), Choices(sheet=SHEET, column="D", texts=TEMPLATES))
    again = returned(tmp_path / "b.xlsx", first.read_bytes(), Choices(sheet=SHEET, column="E", texts=TEMPLATES[:1]))
    assert [name for name in again.sheetnames if name.startswith(WORDS["lists"])] == [WORDS["lists"]]
    assert [cell.value for cell in again[WORDS["lists"]]["A"]] == [TEMPLATES[0]]
    assert [str(offered.sqref) for offered in validations(again)] == ["E4:E5"]


def test_sheet_without_choices_gets_no_lists(tmp_path: Path) -> None:
    book = returned(tmp_path / "a.xlsx", books.written((SHEET, month())))
    assert (validations(book), WORDS["lists"] in book.sheetnames) == ([], False)
