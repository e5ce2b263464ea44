"""An XLS file tells what an XLSX does: errors, percentages, zeros, merges, what is hidden; and harms nobody."""

import struct

import pytest

from connectors.spreadsheets.formats.compound import Compound
from connectors.spreadsheets.formats.sheets import CellError, Covered, Limits, Percent
from connectors.spreadsheets.formats.xls import _text_lengths, open_xls
from domain.problems import LayoutError
from tests.connectors.spreadsheets.formats.binaries import MONTH_XLS

MONTH = MONTH_XLS.read_bytes()


def refusal(content: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(LayoutError) as caught:
        open_xls(content, limits or Limits())
    return caught.value.problem.code


def test_a_month_in_xls() -> None:
    book = open_xls(MONTH, Limits())
    assert (book.kind, book.hidden_sheets, book.facts) == ("xls", ("Velha",), {"dates_from": "1900"})
    assert [sheet.name for sheet in book.sheets] == ["Notas", "Instruções"]
    assert book.sheets[0].hidden_columns == {7}
    rows = {row.number: row for row in book.sheets[0].rows()}
    assert list(rows) == [1, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    assert [number for number, row in rows.items() if row.is_hidden] == [7]
    assert (rows[6].cells[4], rows[8].cells[7]) == (CellError("#DIV/0!"), CellError("#N/A"))
    assert rows[10].cells[7] == Covered()
    assert (rows[5].cells[1], rows[5].cells[4]) == ("99000002000148", 100.0)
    assert type(rows[5].cells[4]) is float
    assert isinstance(rows[4].cells[5], Percent)


def test_limits_hold_before_calamine_reads_anything() -> None:
    assert refusal(MONTH, Limits(rows=9)) == "file.too_many_rows"
    assert refusal(MONTH, Limits(columns=7)) == "file.too_many_columns"
    assert refusal(MONTH, Limits(cells=60)) == "file.too_many_cells"
    assert refusal(MONTH, Limits(cells=40)) == "file.too_many_cells"
    assert refusal(MONTH, Limits(unpacked_bytes=100)) == "file.unpacks_too_large"


def stream_patched(old: bytes, new: bytes) -> bytes:
    """The file with the first bytes like `old` in its workbook stream replaced; the stream lies in one piece."""
    stream = Compound(MONTH).stream("Workbook")
    assert stream is not None
    start = MONTH.index(stream[:64])
    at = MONTH.index(old, start)
    return MONTH[:at] + new + MONTH[at + len(old) :]


def test_what_is_no_workbook_of_this_format_is_refused() -> None:
    assert refusal(MONTH[:2_000]) == "file.damaged"
    assert refusal(stream_patched(struct.pack("<HHH", 0x809, 16, 0x600), struct.pack("<HHH", 0x809, 16, 0x500))) == (
        "file.too_old"
    )
    protected = stream_patched(struct.pack("<HH", 0xE1, 2), struct.pack("<HH", 0x2F, 2))
    assert refusal(protected) == "file.password"
    renamed = MONTH.replace("Workbook".encode("utf-16-le"), "Wordbook".encode("utf-16-le"))
    assert refusal(renamed) == "file.unsupported"


def shared(text: str, *, wide: bool, rich: int = 0, more: int = 0) -> bytes:
    flags = wide | (8 if rich else 0) | (4 if more else 0)
    head = struct.pack("<HB", len(text), flags)
    head += struct.pack("<H", rich) if rich else b""
    head += struct.pack("<I", more) if more else b""
    return head + text.encode("utf-16-le" if wide else "latin-1") + bytes(4 * rich + more)


def test_texts_that_go_on_in_the_next_record() -> None:
    first = struct.pack("<II", 4, 4) + shared("ab", wide=False) + shared("ç" * 10, wide=True, rich=2, more=3)
    # the third text begins here with two of its five characters and goes on narrow, then wide
    first += struct.pack("<HB", 5, 1) + "xy".encode("utf-16-le")
    second = b"\x00z"
    third = b"\x01" + "wv".encode("utf-16-le") + shared("end", wide=False)
    assert list(_text_lengths([first, second, third])) == [2, 10, 5, 3]


def test_a_list_of_texts_that_lies_is_noticed() -> None:
    with pytest.raises((struct.error, IndexError)):
        _text_lengths([struct.pack("<II", 2, 2) + struct.pack("<HB", 60_000, 1) + b"xx"])


def test_extents_and_counts_that_would_ask_for_gigabytes_are_refused() -> None:
    backwards = struct.pack("<HHIIHH", 0x200, 14, 131_072, 12, 1, 8)
    extent = struct.pack("<HHIIHH", 0x200, 14, 0, 12, 1, 8)
    assert refusal(stream_patched(extent, backwards)) == "file.damaged"
    whole = struct.pack("<HHIIHH", 0x200, 14, 0, 65_536, 0, 256)
    assert refusal(stream_patched(extent, whole)) == "file.too_many_cells"
    with pytest.raises(LayoutError):
        _text_lengths([struct.pack("<II", 2, 2**31) + shared("ab", wide=False)])
