"""The byte scan finds what an XML parser finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.spreadsheets.formats import sheet_xml
from connectors.spreadsheets.formats.sheet_metadata import PERCENT, SheetMetadata, column_letter
from connectors.spreadsheets.workbook import open_workbook
from domain.problems import InputError
from tests.connectors.spreadsheets import books

CELLS = st.lists(
    st.tuples(
        st.integers(1, 60),
        st.integers(0, 30),
        st.sampled_from(
            [
                ("", "<v>1</v>"),
                (' t="s"', "<v>0</v>"),
                (' t="e"', "<v>#N/A</v>"),
                (' t="e"', "<f>1/0</f><v>#DIV/0!</v>"),
                ("", "<f>A1</f>"),
                ("", "<f>A1</f><v></v>"),
                ("", '<f t="shared" si="0"/><v>2</v>'),
                ("", '<f t="shared" si="0"/>'),
                (' t="str"', "<f>A1</f><v></v>"),
                (' t="str"', "<f>A1</f><v>x</v>"),
                (' t="b"', "<v>1</v>"),
                (' t="n"', '<f aca="false">A1</f><v>2</v>'),
                (' t="inlineStr"', "<is><t>x</t></is>"),
                ("", "<f/><v>2</v>"),
            ]
        ),
        # The row's hidden flag and the cell's style, which is usually the column's most frequent one.
        st.sampled_from(["", "", "", "false", "1"]),
        st.sampled_from([0, 0, 0, 1, None]),
    ),
    unique_by=lambda cell: cell[:2],
    min_size=1,  # A sheet without cells has nothing to report.
    max_size=60,
)


FORMATS = {1: PERCENT, 3: 14}


def kind_at(found: SheetMetadata, row: int, column: int) -> int:
    kinds = found.formats.get(column)
    return kinds[row] if kinds else 0


def sheet_of(cells, prefix: str) -> bytes:
    p = prefix
    rows: dict[int, list[str]] = {}
    hidden = {row: f' hidden="{flag}"' for row, _, _, flag, _ in cells if flag}
    for row, column, (kind, inside), _, shift in sorted(cells, key=lambda cell: cell[:2]):
        inner = re.sub(r"<(/?)(\w)", rf"<\1{p}\2", inside)
        style = "" if shift is None else f' s="{1 + (column + shift) % 3}"'
        rows.setdefault(row, []).append(f'<{p}c r="{column_letter(column)}{row}"{style}{kind}>{inner}</{p}c>')
    text = "".join(
        f'<{p}row r="{row}" spans="1:9"{hidden.get(row, "")}>{"".join(found)}</{p}row>' for row, found in rows.items()
    )
    space = books.MAIN if not p else books.MAIN.replace("xmlns", "xmlns:x")
    cols = f'<{p}cols><{p}col min="2" max="3" hidden="1"/><{p}col min="5" max="5"/></{p}cols>'
    merged = f'<{p}mergeCells><{p}mergeCell ref="B2:C5"/><{p}mergeCell ref="E1:F1"/></{p}mergeCells>'
    return f"<{p}worksheet {space}>{cols}<{p}sheetData>{text}</{p}sheetData>{merged}</{p}worksheet>".encode()


@given(CELLS)
def test_the_quick_scan_and_the_parser_agree(cells) -> None:
    quick = sheet_xml.scan(sheet_of(cells, ""), rows=1000, columns=100, cells=10_000, formats=FORMATS)
    slow = sheet_xml.scan(sheet_of(cells, "x:"), rows=1000, columns=100, cells=10_000, formats=FORMATS)
    assert (quick.errors, quick.uncalculated) == (slow.errors, slow.uncalculated)
    assert (quick.hidden_rows, quick.hidden_columns) == (slow.hidden_rows, slow.hidden_columns)
    within = {(row, column) for row, column in quick.covered if row < slow.height and column < slow.width}
    assert within == slow.covered
    for row, column, (kind, inside), _, shift in cells:
        if row - 1 < slow.height and column < slow.width and kind in ("", ' t="n"') and "<v>" in inside:
            expected = 0 if shift is None else FORMATS.get(1 + (column + shift) % 3, 0)
            assert kind_at(quick, row - 1, column) == kind_at(slow, row - 1, column) == expected
    assert quick.height >= slow.height
    assert quick.width >= slow.width
    # The parser skips empty cells; the scan checks them only beyond the limits.
    assert quick.row_count >= slow.row_count


def test_a_hidden_row_without_a_number_uses_its_first_cell() -> None:
    xml = books.sheet_xml('<row hidden="1"><c r="A4"><v>1</v></c></row><row hidden="0"><c r="A5"><v>1</v></c></row>')
    assert sheet_xml.scan(xml.encode(), rows=10, columns=10, cells=10).hidden_rows == {3}


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_a_row_without_height_and_a_column_without_width_are_hidden(prefix: str) -> None:
    heights = ("0", "0.75", "0.0", "15", "12.8", "2", "x")
    rows = "".join(
        f'<{prefix}row r="{n}" ht="{height}" customHeight="1"><{prefix}c r="A{n}"><{prefix}v>1</{prefix}v></{prefix}c>'
        f"</{prefix}row>"
        for n, height in enumerate(heights, 1)
    )
    columns = (
        f'<{prefix}cols><{prefix}col min="1" max="1" width="9"/><{prefix}col min="2" max="3" width="0"/></{prefix}cols>'
    )
    space = books.MAIN.replace("xmlns", "xmlns:x") if prefix else books.MAIN
    data = f"<{prefix}worksheet {space}>{columns}<{prefix}sheetData>{rows}</{prefix}sheetData></{prefix}worksheet>"
    found = sheet_xml.scan(data.encode(), rows=50, columns=50, cells=500)
    assert (found.hidden_rows, found.hidden_columns) == ({0, 1, 2}, {1, 2})


def test_an_xml_comment_with_cells_is_not_read_as_cells() -> None:
    xml = books.sheet_xml('<!-- <c r="ZZ9"><v>1</v></c> --><row r="1"><c r="A1"><v>1</v></c></row>')
    found = sheet_xml.scan(xml.encode(), rows=10, columns=10, cells=10)
    assert (found.height, found.width) == (1, 1)


def scanned(rows: str) -> SheetMetadata:
    return sheet_xml.scan(books.sheet_xml(rows).encode(), rows=50, columns=50, cells=500, formats=FORMATS)


def test_attributes_in_apostrophes_are_seen() -> None:
    found = scanned("""<row r='3' hidden='1'><c r='A3' t='e'><v>#N/A</v></c><c r="B3" s='3'><v>7</v></c></row>""")
    assert (found.hidden_rows, found.errors) == ({2}, {(2, 0): "#N/A"})
    assert kind_at(found, 2, 1) == 14
    # A formula's apostrophes delimit no attribute.
    formula = """<row r="3" hidden="1"><c r="A3"><f>'Plan 2'!A1+IF(B1='x y'!B2,1,2)</f><v>1</v></c></row>"""
    assert scanned(formula).hidden_rows == {2}


@pytest.mark.parametrize("cell", ['<c r="A2" t="n" s="1">', '<c r="A2"  s="1">', '<c r="A2" cm="1" s="1">'])
def test_a_style_behind_other_attributes_is_seen(cell: str) -> None:
    assert kind_at(scanned(f'<row r="2">{cell}<v>0.05</v></c></row>'), 1, 0) == PERCENT


def test_blanks_between_the_tags_change_nothing() -> None:
    rows = """<row r="2">
      <c r="A2"> <f>1+1</f> <v>2</v> </c> <c r="B2" t="e"> <f>1/0</f> <v>#DIV/0!</v> </c> <c r="C2"> <f>1+1</f> </c>
    </row>"""
    found = scanned(rows)
    assert (found.errors, found.uncalculated) == ({(1, 1): "#DIV/0!"}, {(1, 2)})


def test_an_error_formula_without_a_result_is_not_blank() -> None:
    for prefix in ("", "x:"):
        rows = (
            f'<{prefix}row r="2"><{prefix}c r="A2" t="e"><{prefix}f>B1</{prefix}f><{prefix}v></{prefix}v></{prefix}c>'
        )
        assert scanned(f"{rows}</{prefix}row>").uncalculated == {(1, 0)}


@pytest.mark.parametrize("far", ['<c r="XFD{0}" s="1"/>', '<c r="B{0}" s="1"></c>', '<c r="XFD{0}" s="3"/>'])
def test_a_cell_that_somebody_formatted_far_away_is_no_data(far: str) -> None:
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c>{far.format(n)}</row>' for n in range(2, 5))
    rows += f'<row r="1048576">{far.format(1_048_576)}</row>'
    assert (scanned(rows).height, scanned(rows).width, scanned(rows).row_count) == (4, 1, 3)
    sheet = open_workbook(books.packed(books.sheet_xml(rows))).sheets[0]
    assert [row.cells for row in sheet.rows()] == [(2.0,), (3.0,), (4.0,)]


TWINS = '<row r="2"><c r="A2"><v>1</v></c></row>'


@pytest.mark.parametrize(
    "rows",
    [
        # Nothing says which text these cells mean; the cell reader would take the first one.
        '<row r="2"><c r="A2" t="s"><v>x</v></c></row>',
        '<row r="2"><c r="A2" t="s"><v>-1</v></c></row>',
        '<row r="2"><c r="A2" t="s"><v>\n1\n</v></c></row>',
        # It would take this number for a text, and a text of 1.234 for a thousand.
        '<row r="2"><c r="A2"><v>\n1.234\n</v></c></row>',
        # Programs differ in which of two rows they show.
        TWINS + TWINS,
        TWINS + '<row spans="1:2" r="2" hidden="1"><c r="B2"><v>1</v></c></row>',
        # It counts rows without a number, and ignores what their cells say.
        '<row><c r="A5"><v>1</v></c><c><v>2</v></c></row>',
        '<row><c r="A5"><v>1</v></c></row><row><c><v>2</v></c></row>',
    ],
)
def test_cells_that_the_reader_would_misread_are_refused(rows: str) -> None:
    for text in (rows, rows.replace("<c ", "<x:c ").replace("</c>", "</x:c>")):
        with pytest.raises(InputError) as caught:
            scanned(text)
        assert caught.value.problem.code == "file.damaged"


def test_rows_in_any_order_stand_where_their_numbers_say() -> None:
    rows = "".join(f'<row r="{n}"><c r="B{n}"><v>{n}</v></c></row>' for n in (9, 2, 5))
    sheet = open_workbook(books.packed(books.sheet_xml(rows))).sheets[0]
    assert [(row.number, row.cells) for row in sheet.rows()] == [(2, (None, 2.0)), (5, (None, 5.0)), (9, (None, 9.0))]
