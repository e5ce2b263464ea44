"""Backgrounds of an XLSX sheet's cells: plain, of the theme, of the old palette, with a tint; and harmless faults."""

from xml.etree import ElementTree as ET

import pytest

from connectors.spreadsheets.formats import fills
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheet_metadata import SheetMetadata
from tests.connectors.spreadsheets import books
from tests.house.pumping import Attack, growth

SOLID = '<fill><patternFill patternType="solid">{}</patternFill></fill>'
THEME = '<a:theme xmlns:a="x"><a:clrScheme><a:accent1><a:srgbClr val="112233"/></a:accent1></a:clrScheme></a:theme>'


def styles_of(colour: str, *, theme: str = "", fill: str = SOLID) -> dict[int, str]:
    parts = [("xl/theme/theme1.xml", theme)] if theme else []
    package = Package(books.zipped([("a", "b"), *parts]), unpacked_bytes=1_000_000)
    first = '<fill><patternFill patternType="none"/></fill>'
    styles = f'<styleSheet><fills>{first}{fill.format(colour)}</fills><cellXfs><xf/><xf fillId="1"/><xf fillId="9"/>'
    return fills.coloured_styles(ET.fromstring(f"{styles}</cellXfs></styleSheet>"), package)


@pytest.mark.parametrize(
    ("colour", "digits"),
    [
        ('<fgColor rgb="FFFF0000"/>', "FF0000"), ('<fgColor rgb="ffeb9c"/>', "FFEB9C"),
        ('<fgColor theme="5"/>', "ED7D31"), ('<fgColor indexed="10"/>', "FF0000"),
        ('<fgColor theme="1" tint="0.5"/>', "808080"),
        ('<fgColor theme="0" tint="-0.5"/>', "808080"), ('<fgColor rgb="FFFF0000" tint="x"/>', "FF0000"),
    ],
)  # fmt: skip
def test_a_background_is_read(colour: str, digits: str) -> None:
    assert styles_of(colour) == {1: digits}


@pytest.mark.parametrize(
    "colour",
    [
        '<fgColor rgb="FFFFFFFF"/>',
        '<fgColor theme="0"/>',
        '<fgColor indexed="64"/>',
        '<fgColor theme="x"/>',
        "",
        "<fgColor/>",
    ],
)
def test_white_and_unknown_colours_are_none(colour: str) -> None:
    assert styles_of(colour) == {}


def test_the_theme_of_the_workbook_counts() -> None:
    assert styles_of('<fgColor theme="4"/>', theme=THEME) == {1: "112233"}
    assert styles_of('<fgColor theme="4"/>', theme="<broken") == {1: "4472C4"}


def test_a_gradient_has_its_first_colour() -> None:
    stops = '<stop><color rgb="FF00FF00"/></stop><stop><color rgb="FF0000FF"/></stop>'
    assert styles_of(stops, fill="<fill><gradientFill>{}</gradientFill></fill>") == {1: "00FF00"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("FFFF0000", {1: "FF0000"}), ("FF7F7F7F", {}), ("FFFFFFFF", {}), ("FF1F1F40", {}), ("FF00B050", {1: "00B050"})],
)
def test_a_vivid_text_is_a_colour_where_the_background_is_none(text: str, expected: dict[int, str]) -> None:
    package = Package(books.zipped([("a", "b")]), unpacked_bytes=1_000_000)
    fonts = f'<fonts><font><color theme="1"/></font><font><color rgb="{text}"/></font></fonts>'
    filled = SOLID.format('<fgColor rgb="FFFFFF00"/>')
    styles = (
        f"<styleSheet>{fonts}<fills><fill/>{filled}</fills><cellXfs><xf/><xf fontId='1'/><xf fontId='1' fillId='1'/>"
    )
    found = fills.coloured_styles(ET.fromstring(f"{styles}</cellXfs></styleSheet>"), package)
    assert found == expected | {2: "FFFF00"}


def test_cells_are_marked_and_styles_of_rows_are_not() -> None:
    marks = SheetMetadata()
    data = b'<row r="3" s="1"><c r="A3" s="1"/><c r="B3" s="11"><v>1</v></c><c r="AA3" s="1"><v>1</v></c></row>'
    fills.mark_fills(data, {1: "FF0000"}, marks)
    assert marks.fills == {(2, 0): "FF0000", (2, 26): "FF0000"}


def test_the_usual_look_of_a_large_sheet_is_not_marked() -> None:
    cells = "".join(f'<c r="A{n}" s="1"/>' for n in range(1, fills.CELLS_OF_A_STYLE_AT_MOST + 2))
    marks = SheetMetadata()
    fills.mark_fills(f'{cells}<c r="B7" s="2"/>'.encode(), {1: "FF0000", 2: "00FF00"}, marks)
    assert marks.fills == {(6, 1): "00FF00"}


@pytest.mark.parametrize("pump", [' s="1"', '<c r="A1"', '<c r="A1" s="1"/>', "<", '"'])
def test_backgrounds_are_marked_in_linear_time(pump: str) -> None:
    attack = Attack("<row>", pump, "")
    assert not growth(lambda data: fills.mark_fills(data, {1: "FF0000"}, SheetMetadata()), attack, is_bytes=True)
