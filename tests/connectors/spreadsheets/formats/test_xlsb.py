"""An XLSB file gives what an XLSX does: errors, percentages, zeros, merges, hidden parts; and it harms nobody."""

import struct

import pytest

from connectors.spreadsheets.formats.sheets import CellError, Covered, Limits, Percent, Row
from connectors.spreadsheets.formats.xlsb import open_xlsb
from domain.problems import InputError
from tests.connectors.spreadsheets.formats import binaries as b

ROWS = b.row(1, [b.text(1, 0), b.text(2, 1)])
FORMATS = [(164, "0.0%"), (165, "00000000000")]


def refusal(content: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(InputError) as caught:
        open_xlsb(content, limits or Limits())
    return caught.value.problem.code


def test_cells_and_what_is_about_them() -> None:
    second = b.row(3, [b.text(1, 2), b.real(2, 0.05, 1), b.error(3, 0x2A), b.real(4, 52, 2)], hidden=True)
    content = b.xlsb(
        [
            (
                "Dados",
                b.sheet_bin(
                    ROWS + second + b.row(4, [b.real(2, 1.5)]),
                    columns=b.record(60, struct.pack("<IIIIH", 2, 2, 10, 0, 1)),
                    merges=b.record(176, struct.pack("<IIII", 3, 4, 1, 1)),
                ),
                0,
            ),
            ("Velha", b.sheet_bin(b""), 1),
        ],
        texts=["CNPJ", "Valor", "x"],
        formats=FORMATS,
        styles=[0, 164, 165],
        dates_from_1904=True,
        more=[("xl/vbaProject.bin", b"\0")],
    )
    book = open_xlsb(content, Limits())
    assert (book.kind, book.hidden_sheets) == ("xlsb", ("Velha",))
    assert book.facts == {"dates_from": "1904", "macros": "ignored"}
    (sheet,) = book.sheets
    assert sheet.hidden_columns == {2}
    head, hidden, last = sheet.rows()
    assert head == Row(2, (None, "CNPJ", "Valor"))
    assert hidden == Row(4, (None, "x", 0.05, CellError("#N/A"), "00000000052"), is_hidden=True)
    assert isinstance(hidden.cells[2], Percent)
    assert last == Row(5, (None, Covered(), 1.5))


def test_limits_hold_before_calamine_reads_a_sheet() -> None:
    rows = b"".join(b.row(n, [b.text(0, 0), b.text(1, 0)]) for n in range(6))
    content = b.xlsb([("S", b.sheet_bin(rows), 0)], texts=["x" * 3_000])
    assert open_xlsb(content, Limits(rows=6, columns=2, cells=12)).kind == "xlsb"
    assert refusal(content, Limits(rows=5)) == "file.too_many_rows"
    assert refusal(content, Limits(columns=1)) == "file.too_many_columns"
    assert refusal(content, Limits(cells=11)) == "file.too_many_cells"
    # One text, and a separate copy of it for each cell.
    assert refusal(content, Limits(unpacked_bytes=30_000)) == "file.unpacks_too_large"


def test_far_away_cells_and_broken_records_are_refused() -> None:
    far = b.xlsb([("S", b.sheet_bin(b.row(1_048_575, [b.real(16_383, 1)])), 0)])
    assert refusal(far) == "file.too_many_columns"
    assert refusal(b.xlsb([("S", b"\x00\x8b", 0)])) == "file.damaged"
    assert refusal(b.xlsb([("S", b.record(5, b"\0"), 0)])) == "file.damaged"


def test_counts_that_would_ask_for_gigabytes_are_refused() -> None:
    content = b.xlsb([("S", b.sheet_bin(ROWS), 0)], texts=["CNPJ", "Valor"])
    lying = b.repacked(content, "xl/sharedStrings.bin", struct.pack("<II", 2, 2), struct.pack("<II", 2, 2**31))
    assert refusal(lying) == "file.damaged"
    assert open_xlsb(content, Limits()).kind == "xlsb"


def test_two_sheets_of_one_name_are_refused() -> None:
    # calamine would find the first part by its name, and the scan has not checked it.
    twins = [("S", b.sheet_bin(b.row(9, [b.real(9, 1)])), 1), ("S", b.sheet_bin(ROWS), 0)]
    assert refusal(b.xlsb(twins, texts=["x", "y"])) == "file.damaged"


def with_texts(records: bytes, rows: bytes = ROWS) -> bytes:
    """Return a workbook whose shared texts are these records."""
    content = b.xlsb([("S", b.sheet_bin(rows), 0)])
    return b.repacked(content, "xl/sharedStrings.bin", b.counted(159, [], twice=True) + b.record(160), records)


def text_record(text: str) -> bytes:
    return b.record(19, b"\0" + b.wide(text))


def test_a_text_longer_than_its_record_is_refused() -> None:
    # calamine would take the rest from the record before.
    short = b.record(19, b"\0" + struct.pack("<I", 400))
    assert refusal(with_texts(b.counted(159, [text_record("x" * 500), short], twice=True))) == "file.damaged"


@pytest.mark.parametrize("count", [1, 40])
def test_texts_are_counted_as_calamine_counts_them(count: int) -> None:
    """Records before the beginning, or in a later part, shift no number."""
    later = b.record(35) + text_record("y") + b.record(36)
    records = text_record("x") + b.counted(159, [text_record("Valor"), later, text_record("z" * 900)], twice=True)
    records = records.replace(struct.pack("<II", 3, 3), struct.pack("<II", 2, 2))
    content = with_texts(records, b"".join(b.row(n, [b.text(0, 1)]) for n in range(count)))
    limits = Limits(unpacked_bytes=30_000)
    if count > 1:
        assert refusal(content, limits) == "file.unpacks_too_large"
    else:
        (sheet,) = open_xlsb(content, limits).sheets
        assert [row.cells for row in sheet.rows()] == [("z" * 900,)]


def test_the_total_size_of_all_parts_is_limited() -> None:
    tight = Limits(cells=4)
    idle = b.record(9_999) * 600_000
    two = [("S", b.sheet_bin(ROWS + idle), 0), ("T", b.sheet_bin(ROWS + idle), 0)]
    assert refusal(b.xlsb(two, texts=["x", "y"]), tight) == "file.too_many_cells"
    assert refusal(with_texts(b.counted(159, [], twice=True) + idle * 2), tight) == "file.too_many_cells"
    three = [(name, b.sheet_bin(ROWS * 3), 0) for name in "STU"]
    assert refusal(b.xlsb(three, texts=["x", "y"]), Limits(cells=17)) == "file.too_many_cells"
    assert open_xlsb(b.xlsb(three[:2], texts=["x", "y"]), Limits(cells=17)).kind == "xlsb"


def test_rows_merges_columns_and_styles_without_end_are_refused() -> None:
    def sheet(rows: bytes = ROWS, *, columns: bytes = b"", merges: bytes = b"") -> bytes:
        return b.xlsb([("S", b.sheet_bin(rows, columns=columns, merges=merges), 0)], texts=["x", "y"])

    assert refusal(sheet(b.row(1_048_576, [b.real(0, 1)]))) == "file.damaged"
    assert refusal(sheet(merges=b.record(176, struct.pack("<IIII", 1, 1, 0, 0)) * 50_001)) == "file.too_many_marks"
    columns = b.record(60, struct.pack("<IIIIH", 2, 2, 10, 0, 1))
    assert refusal(sheet(columns=columns * 16_385)) == "file.damaged"
    assert refusal(b.xlsb([("S", b.sheet_bin(ROWS), 0)], styles=[0] * 65_537)) == "file.damaged"


def test_two_sheets_of_one_part_are_refused() -> None:
    twins = [("S", b.sheet_bin(ROWS), 0), ("T", b.sheet_bin(ROWS), 0)]
    content = b.repacked(b.xlsb(twins), "xl/_rels/workbook.bin.rels", b"sheet2.bin", b"sheet1.bin")
    assert refusal(content) == "file.damaged"


def test_excessive_ranges_are_refused_before_merges_are_applied() -> None:
    far = b.row(1, [b.real(3_000_000_000, 1)])
    merges = b.record(176, struct.pack("<IIII", 0, 9, 0, 2_999_999_999))
    assert refusal(b.xlsb([("S", b.sheet_bin(far, merges=merges), 0)])) == "file.too_many_columns"
