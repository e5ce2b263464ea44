"""A panic of the cell reader becomes a refusal in words and nothing else."""

import pytest

from connectors.spreadsheets.formats.sheets import Limits, Percent
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import LayoutError
from tests.connectors.spreadsheets import books
from tests.connectors.spreadsheets.formats import binaries

STYLES = f'<styleSheet {books.MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="10"/></cellXfs></styleSheet>'


def test_a_panic_leaves_nothing_on_the_error_output(capfd: pytest.CaptureFixture[str]) -> None:
    cells = binaries.row(0, [binaries.text(0, 7)])
    content = binaries.xlsb([("S", binaries.sheet_bin(cells), 0)], texts=["x"])
    with pytest.raises(LayoutError):
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
    with pytest.raises(LayoutError) as refused:
        list(open_workbook(content, Limits()).sheets[0].rows())
    problem = refused.value.problem
    assert (problem.code, problem.where.sheet, problem.where.row) == ("file.odd_time", "Notas", 3)
