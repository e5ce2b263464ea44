"""Rows are cut out of markup of any length, and odd markup is refused rather than guessed at."""

from io import BytesIO

import pytest

from connectors.spreadsheets.corrections.markup import PIECE, UnusualMarkup
from connectors.spreadsheets.corrections.row_extraction import Merge, extract_rows
from tests.connectors.spreadsheets.books import sheet_xml

EVERY = 1 << 30


def rows_of(xml: str, wanted: set[int], *, last: int = EVERY):
    return extract_rows(BytesIO(xml.encode()), lambda number: number in wanted, last=last).rows


def test_rows_are_found_wherever_the_pieces_are_cut():
    text = "x" * 997
    xml = sheet_xml("".join(f'<row r="{n}"><c r="A{n}" t="str"><v>{n}{text}</v></c></row>' for n in range(1, 4_000)))
    assert len(xml) > 3 * PIECE
    found = rows_of(xml, {1, 1_047, 2_000, 3_999, 5_000})
    assert [(row.number, row.cells[0].value[: -len(text)]) for row in found] == [
        (n, str(n)) for n in (1, 1_047, 2_000, 3_999)
    ]


def test_rows_and_cells_without_addresses_are_counted():
    xml = sheet_xml("<row><c><v>1</v></c></row><row/><row><c><v>3</v></c><c/><c><v>4</v></c></row>")
    (row,) = rows_of(xml, {3})
    assert [(cell.column, cell.value) for cell in row.cells] == [(0, "3"), (1, ""), (2, "4")]


def test_an_empty_row_between_two_swallows_neither():
    xml = sheet_xml('<row r="1"/><row r="2"><c r="A2"><v>2</v></c></row><row r="3" /><row r="4"><c r="A4"/></row>')
    assert [row.number for row in rows_of(xml, {1, 2, 3, 4})] == [2, 4]


def test_a_formulas_result_is_kept_without_the_formula():
    cells = '<c r="A1"><f>B1*2</f><v>7</v></c><c r="B1" t="str"><f>X()</f><v>oi</v></c><c r="C1"><f>Y()</f></c>'
    (row,) = rows_of(sheet_xml(f'<row r="1">{cells}</row>'), {1})
    assert [(cell.kind, cell.value) for cell in row.cells] == [("", "7"), ("str", "oi"), ("", "")]


def test_merged_ranges_after_the_rows_are_found():
    xml = sheet_xml('<row r="1"><c r="A1"/></row><row r="9"><c r="A9"/></row>')
    xml = xml.replace("</worksheet>", '<mergeCells><mergeCell ref="A1:C2"/></mergeCells></worksheet>')
    assert extract_rows(BytesIO(xml.encode()), lambda _: True, last=EVERY).merges == (Merge(1, 0, 2, 2),)
    assert extract_rows(BytesIO(xml.encode()), lambda _: True, last=5).merges == ()


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "<worksheet/>",
        sheet_xml("").replace("<", "<x:").replace("<x:/", "</x:"),
        sheet_xml('<row r="1"><!-- --><c r="A1"/></row>'),
        sheet_xml('<row r="1"><c r="A1"></row>'),
        sheet_xml('<row r="1"><c r="A1"/></row>').removesuffix("</sheetData></worksheet>"),
    ],
)
def test_odd_markup_is_refused(xml):
    with pytest.raises(UnusualMarkup):
        rows_of(xml, {1})


def test_a_sheet_without_rows_is_an_empty_one():
    assert rows_of(sheet_xml("").replace("<sheetData></sheetData>", "<sheetData/>"), {1}) == ()
