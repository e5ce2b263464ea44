"""A sheet made to slow a search takes time in proportion to its length, whatever it repeats."""

from contextlib import suppress
from itertools import product

import pytest

from connectors.spreadsheets.formats import sheet_xml
from domain.problems import InputError
from tests.house import tree
from tests.house.pumping import Attack, growth

USUAL = "<sheetData>" + "".join(
    f'<row r="{n}"><c r="A{n}" s="1"><v>1</v></c><c r="B{n}" t="s"><v>0</v></c></row>' for n in range(1, 4)
)
BEFORE = (
    "<sheetData>",
    USUAL,
    USUAL + '<row r="4">',
    USUAL + '<row r="4"><c r="A4" t="e">',
    USUAL + '<row r="4"><c r="A4" t="s"><f>',
    USUAL + '<row r="4"><c r="A4" t="s" ',
)
PUMPS = (
    *(
        " ",
        "\n",
        "<",
        ">",
        "'",
        '"',
        "/",
        ' t="s"',
        ' t="e"',
        ' s="1"',
        ' s = "',
        ' r="5"',
        ' hidden="1"',
        ' ht="0',
        "<f>",
        "<f ",
    ),
    *("<f/>", "<v>", "<v> ", "<v>1</v>", '<c r="A5"', '<c r="A5"/>', '<c r="A5" t="e">', '<c r="A5" t="s"><f> </f>'),
    *(
        '<c r="A5" t="s"><v>0</v></c>',
        "<row ",
        '<row r="5"',
        '<row r="5">',
        '<row r="5"/>',
        "<is><t>",
        "<!--",
        "</row>",
    ),
    *(
        '<c r="A5" s="1">',
        "<x:c ",
        '<col min="1" ',
        '<mergeCell ref="A1:',
        '<mergeCell ref="A1:B2"/>',
        '<row "',
        "<dimension ",
    ),
)
ENDS = ("", "<v>1</v></c></row></sheetData>")


def scanned(data: bytes) -> None:
    with suppress(InputError):
        sheet_xml.scan(data, rows=50_000, columns=400, cells=2_500_000, formats={1: 1, 7: 5})


@pytest.mark.parametrize("before", BEFORE)
def test_scan_takes_linear_time(before: str) -> None:
    found = [
        f"{exponent} of {attack}"
        for pump, end in product(PUMPS, ENDS)
        if (exponent := growth(scanned, attack := Attack(before, pump, end), is_bytes=True))
    ]
    assert not found, tree.listing(found)
