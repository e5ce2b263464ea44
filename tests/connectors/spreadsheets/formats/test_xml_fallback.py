"""The parser reads prefixed markup and cells without addresses; odd attributes harm nobody."""

import pytest

from connectors.spreadsheets.formats.xml_fallback import SLOW_BYTES_AT_MOST, parsed
from domain.problems import InputError
from tests.connectors.spreadsheets import books


def test_cells_without_addresses_follow_one_another() -> None:
    rows = "<row><c><v>1</v></c><c t='e'><v>#REF!</v></c></row><row><c s='1'><v>0.5</v></c></row>"
    found = parsed(books.sheet_xml(rows).encode(), columns=9, cells=999, formats={1: 1})
    assert (found.row_count, found.height, found.width) == (2, 2, 2)
    assert found.errors == {(0, 1): "#REF!"}
    assert bytes(found.formats[0]) == b"\0\1"


def test_attributes_that_are_no_numbers_are_no_numbers() -> None:
    cols = '<cols><col min="x" max="-3" hidden="1"/><col min="99999999999999" hidden="1"/></cols>'
    rows = '<row><c s="?"><v>1</v></c></row><row hidden="x"><c><v>1</v></c></row>'
    found = parsed(books.sheet_xml(rows, before=cols).encode(), columns=9, cells=999, formats={})
    assert (found.height, found.width) == (2, 1)


@pytest.mark.parametrize(
    "rows",
    ['<row r="1e9"/>', '<row r="99999999"/>', '<row><c r="a1"/></row>', "<row><c r='A99999999999999999999'/></row>"],
)
def test_places_that_no_sheet_has_are_refused(rows: str) -> None:
    with pytest.raises(InputError):
        parsed(books.sheet_xml(rows).encode(), columns=9, cells=999, formats={})


@pytest.mark.parametrize("inside", ["<v></v>", "<v/>", "<is/>", "<is><t></t></is>", "<v><![CDATA[]]></v>"])
def test_an_empty_text_reaches_as_far_as_any_other(inside: str) -> None:
    rows = f'<row r="2"><c r="A2"><v>1</v></c></row><row r="9"><c r="J9" t="str">{inside}</c><c r="L9" s="1"></c></row>'
    found = parsed(books.sheet_xml(rows).encode(), columns=9, cells=999, formats={})
    # calamine allocates memory for each cell before it.
    assert (found.height, found.width, found.row_count) == (9, 10, 1)


@pytest.mark.parametrize("data", [b"<worksheet><row>", b" " * (SLOW_BYTES_AT_MOST + 1)], ids=["half", "large"])
def test_an_unparsable_value_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        parsed(data, columns=9, cells=999, formats={})


def test_formats_of_a_sheet_that_reaches_too_far_are_left_out() -> None:
    rows = '<row r="1"><c r="B1" s="1"><v>1</v></c></row><row r="9999999"><c r="A9999999"><v>1</v></c></row>'
    found = parsed(books.sheet_xml(rows).encode(), columns=9, cells=999, formats={1: 1})
    assert (found.height, found.width, found.formats) == (9_999_999, 2, {})
    assert parsed(books.sheet_xml(rows).encode(), columns=9, cells=10**8, formats={1: 1}).formats.keys() == {1}
