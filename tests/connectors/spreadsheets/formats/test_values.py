"""A panic of the cell reader becomes a refusal in words and nothing else."""

import pytest

from connectors.spreadsheets.formats.sheets import Limits, Percent, Uncalculated
from connectors.spreadsheets.formats.values import MarkedSheet
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.formats import binaries

STYLES = f'<styleSheet {books.MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="10"/></cellXfs></styleSheet>'


def test_a_panic_leaves_nothing_on_the_error_output(capfd: pytest.CaptureFixture[str]) -> None:
    cells = binaries.row(0, [binaries.text(0, 7)])
    content = binaries.xlsb([("S", binaries.sheet_bin(cells), 0)], texts=["x"])
    with pytest.raises(InputError):
        for _ in open_workbook(content, Limits()).sheets[0].rows():
            pass
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("last", ["0", "1"], ids=["but for its last row", "throughout"])
def test_only_numbers_in_percentage_columns_are_percentages(last: str) -> None:
    cells = ['s="1" t="str"><v>ISS</v>', 's="1"><v>1</v>', 's="1"><v>0</v>', 's="1" t="b"><v>1</v>',
             's="1" t="b"><v>0</v>', 's="1"><v>0.05</v>', 's="1"><v>0.05</v>', f's="{last}"><v>0.05</v>']  # fmt: skip
    rows = "".join(f'<row r="{n}"><c r="B{n}" {cell}</c></row>' for n, cell in enumerate(cells, 1))
    content = books.packed(books.sheet_xml(rows), more={"xl/styles.xml": STYLES})
    (sheet,) = open_workbook(content, Limits()).sheets
    kinds = [str, Percent, Percent, bool, bool, Percent, Percent, Percent if last == "1" else float]
    for _ in range(2):
        found = [row.cells[1] for row in sheet.rows()]
        assert found == ["ISS", 1.0, 0.0, True, False, 0.05, 0.05, 0.05]
        assert [type(cell) for cell in found] == kinds


@pytest.mark.parametrize(("number", "shown"), [(99_000_002_000_148.0, "[h]:mm"), (-1e300, "dd/mm/yyyy")])
def test_a_number_too_large_for_a_date_is_named_by_its_row(number: float, shown: str) -> None:
    content = books.written(("Notas", [["CNPJ"], ["a"], ["b"], ["c"]]), shaped={"A3": (number, shown)})
    with pytest.raises(InputError) as refused:
        list(open_workbook(content, Limits()).sheets[0].rows())
    problem = refused.value.problem
    assert (problem.code, problem.where.sheet, problem.where.row) == ("file.odd_time", "Notas", 3)


def test_blank_rows_are_left_out_and_the_others_keep_numbers() -> None:
    blank = "".join(f'<row r="{n}"><c r="A{n}" s="1"/></row>' for n in range(3, 5_000))
    no_result = '<row r="2500"><c r="B2500"><f>A1</f></c></row>'
    blank = blank.replace('<row r="2500"><c r="A2500" s="1"/></row>', no_result)
    rows = '<row r="1"><c r="A1"><v>1</v></c></row>', blank, '<row r="5000"><c r="A5000"><v>2</v></c></row>'
    content = books.packed(books.sheet_xml("".join(rows)))
    (sheet,) = open_workbook(content, Limits(rows=3)).sheets
    assert [(row.number, row.cells) for row in sheet.rows()] == [
        (1, (1.0,)),
        (2500, (None, Uncalculated())),
        (5000, (2.0,)),
    ]
    assert isinstance(sheet, MarkedSheet)
    assert [index for index, _ in sheet.source.rows()] == [0, 4999]
