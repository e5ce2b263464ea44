"""The regular expression skips only ordinary rows; all other rows remain for the full check."""

import pytest

from connectors.spreadsheets.formats.row_regex import STYLES_AT_MOST, set_aside, without_blank_rows
from connectors.spreadsheets.formats.sheet_metadata import PERCENT

USUAL = (
    '<row r="2"><c r="A2" t="s"><v>0</v></c></row>',
    '<row r="2" spans="1:9" ht="15" customHeight="1" x14ac:dyDescent="0.25"><c r="Z2" s="7" t="s"><v>10</v></c></row>',
    '<row r="2" hidden="false" collapsed="false"><c r="A2" s="1"><v>0.05</v></c><c r="B2" s="3"/></row>',
    '<row r="2" hidden="0"><c r="A2" s="1" t="n"><f aca="false">B2*2</f><v>1E-05</v></c></row>',
    '<row r="2"><c r="B2"><f t="shared" si="0"/><v>2</v></c><c r="C2" t="b"><v>1</v></c></row>',
    '<row r="2"><c r="B2" t="inlineStr"><is><t xml:space="preserve"> x &amp; y </t></is></c></row>',
    '<row r="2"></row>',
)
UNUSUAL = (
    '<row r="2"><c r="A3" t="s"><v>0</v></c></row>',
    '<row r="2"><c r="B2" t="e"><v>#N/A</v></c></row>',
    '<row r="2"><c r="B2"><f>A1</f></c></row>',
    '<row r="2"><c r="B2"><f>A1</f><v></v></c></row>',
    '<row r="2"><c r="B2" t="str"><f>A1</f><v></v></c></row>',
    '<row r="2"><c r="A2"><v>0.05</v></c></row>',
    '<row r="2"><c r="A2" s="3"><v>0.05</v></c></row>',
    '<row r="2"><c r="B2" s="1"><v>0.05</v></c></row>',
    '<row r="2" hidden="1"><c r="B2"><v>1</v></c></row>',
    '<row r="2" spans="1:9" hidden="true"><c r="B2"><v>1</v></c></row>',
    '<row r="2" ht="0" customHeight="1"><c r="B2"><v>1</v></c></row>',
    '<row r="2" ht="0.75" customHeight="1"><c r="B2"><v>1</v></c></row>',
    '<row r="2"><!-- --><c r="B2"><v>1</v></c></row>',
    '<row r="2"><c r="B2"><v><![CDATA[1]]></v></c></row>',
    "<row r='2'><c r='B2'><v>1</v></c></row>",
    '<row r="2"><x:c r="B2"><v>1</v></x:c></row>',
    '<row><c r="B2"><v>1</v></c></row>',
    '<row r="2"><c><v>1</v></c></row>',
    '<row r="12345678"><c r="A12345678"><v>1</v></c></row>',
    '<row r="2"><c r="B2"><v>1</v></c>',
)
# The first column shows percentages; the other rows are compared with it.
SHOWN = "".join(f'<row r="{n}"><c r="A{n}" s="1"><v>1</v></c><c r="B{n}"><v>1</v></c></row>' for n in (5, 6, 7))
FORMATS = {1: PERCENT, 4: 14}


def sheet(rows: str) -> bytes:
    return f"<sheetData>{SHOWN}{rows}</sheetData>".encode()


@pytest.mark.parametrize("row", USUAL)
def test_a_usual_row_is_set_aside(row: str) -> None:
    found = set_aside(sheet(row), FORMATS)
    assert (found.numbers, found.rest) == ((5, 6, 7, 2), b"<sheetData> </sheetData>")
    assert (found.width, found.kinds) == (26, {0: PERCENT})


@pytest.mark.parametrize("row", UNUSUAL)
def test_any_other_row_stays(row: str) -> None:
    found = set_aside(sheet(row), FORMATS)
    assert found.numbers == (5, 6, 7)
    assert found.rest == f"<sheetData> {row}</sheetData>".encode()


@pytest.mark.parametrize("every", [1, 3, 100_000])
def test_a_long_sheet_is_searched_in_pieces_at_row_ends(every: int) -> None:
    other = '<row r="2"><c r="B2" t="e"><v>#N/A</v></c></row>'
    rows = [f'<row r="{n}"><c r="A{n}" t="s"><v>{n}</v></c></row>' for n in range(1, 40_001)]
    data = "".join(row + other * (n % every == 0) for n, row in enumerate(rows, 1)).encode()
    assert len(data) > 1 << 20
    found = set_aside(data, {})
    assert found.numbers == tuple(range(1, 40_001))
    assert found.rest == b" ".join([other.encode()] * (40_000 // every))


# Texts of one style, then percentages.
ALIKE = "".join(
    f'<row r="{n}"><c r="A{n}" s="5" t="s"><v>0</v></c><c r="B{n}" s="1"><v>1</v></c></row>' for n in (5, 6, 7)
)


@pytest.mark.parametrize(
    "cells",
    [
        '<c r="A2" s="5" t="s"><v>12</v></c><c r="B2" s="1"><f>A1*2</f><v>-0.5</v></c>',
        '<c r="A2" s="5"/><c r="B2" s="1"/>',
        '<c r="B2" s="1"><v>1</v></c>',
        '<c r="A2" t="s"><v>1</v></c><c r="B2" s="6" t="s"><v>0</v></c>',
        '<c r="A2"><v>1</v></c><c r="C2" t="s"><v>1</v></c>',
        '<c r="B2" s="1"><v>1</v></c><c r="A2" s="5" t="s"><v>12</v></c>',
    ],
)
def test_a_row_may_have_other_cells_than_those_expected(cells: str) -> None:
    found = set_aside(f'<sheetData>{ALIKE}<row r="2">{cells}</row>'.encode(), FORMATS)
    assert (found.numbers, found.rest, found.kinds) == ((5, 6, 7, 2), b"<sheetData>", {1: PERCENT})


@pytest.mark.parametrize(
    "cells",
    [
        '<c r="A2" s="5" t="s"><v>x</v></c>',
        '<c r="A3" s="5" t="s"><v>1</v></c>',
        '<c r="B3" s="1"><v>1</v></c>',
        '<c r="A2" s="5" t="s"><v>1</v></c><c r="B2" s="4"><v>1</v></c>',
        '<c r="A2" s="1"><v>1</v></c>',
        '<c r="B2" s="5"><v>1</v></c>',
        '<c r="B2" s="1"><v> 1</v></c>',
        '<c r="B2" s="1"><f>A1</f></c>',
        '<c r="B2" s="1" t="e"><v>#N/A</v></c>',
    ],
)
def test_only_the_expected_cells_pass(cells: str) -> None:
    row = f'<row r="2">{cells}</row>'
    found = set_aside(f"<sheetData>{ALIKE}{row}".encode(), FORMATS)
    assert (found.numbers, found.rest) == ((5, 6, 7), f"<sheetData> {row}".encode())


def test_the_commonest_style_is_unexpected_if_others_prevail() -> None:
    styles = (1, 1, 1, 7, 7, 8, 8)
    rows = [f'<row r="{n}"><c r="A{n}" s="{style}"><v>1</v></c></row>' for n, style in enumerate(styles, 1)]
    found = set_aside("".join(rows).encode(), FORMATS)
    assert (found.numbers, found.kinds, found.rest) == ((4, 5, 6, 7), {}, "".join(rows[:3]).encode())


def test_an_oddly_written_style_is_not_among_the_expected() -> None:
    found = set_aside(ALIKE.replace('s="1"', 's="001"').encode(), FORMATS)
    assert (found.numbers, found.kinds) == ((5, 6, 7), {})


def test_as_many_columns_are_usual_as_the_first_rows_have() -> None:
    near = '<row r="2"><c r="AD2"><v>1</v></c></row>'
    far = near.replace("AD", "BA")
    found = set_aside(sheet(near + " " * 200_000 + far), {})
    assert (found.numbers, found.width) == ((5, 6, 7, 2), 52)
    assert found.rest.endswith(f"{far}</sheetData>".encode())


def test_with_very_many_formats_every_row_stays() -> None:
    found = set_aside(sheet(""), dict.fromkeys(range(STYLES_AT_MOST + 1), PERCENT))
    assert (found.numbers, found.rest) == ((), sheet(""))


def test_blank_rows_are_left_out_and_no_others() -> None:
    blank = (
        '<row r="8"/>',
        '<row r="8" spans="1:9" hidden="1"></row>',
        '<row r="8" s="1"><c r="A8" s="1"/><c r="B8"/></row>',
    )
    assert without_blank_rows(sheet("".join(blank))) == sheet("").replace(b"</sheetData>", b" </sheetData>")
    for row in (*USUAL[:-1], *UNUSUAL):
        assert without_blank_rows(sheet(row)) == sheet(row)
