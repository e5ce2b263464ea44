"""An XLS file gives what an XLSX does: errors, percentages, zeros, merges, hidden parts; and it harms nobody."""

import struct

import pytest

from connectors.spreadsheets.formats.compound import Compound
from connectors.spreadsheets.formats.sheets import CellError, Covered, Limits, Percent
from connectors.spreadsheets.formats.xls import _text_bytes, open_xls
from domain.problems import InputError
from tests.connectors.spreadsheets.formats import biff
from tests.connectors.spreadsheets.formats.binaries import MONTH_XLS

MONTH = MONTH_XLS.read_bytes()


def refusal(content: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(InputError) as caught:
        open_xls(content, limits or Limits())
    return caught.value.problem.code


def test_a_month_in_xls_is_read_with_its_marks() -> None:
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
    """Return the file with the first match of `old` in its workbook stream replaced; the stream is in one piece."""
    stream = Compound(MONTH).stream("Workbook")
    assert stream is not None
    start = MONTH.index(stream[:64])
    at = MONTH.index(old, start)
    return MONTH[:at] + new + MONTH[at + len(old) :]


def test_a_workbook_of_another_format_is_refused() -> None:
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


def test_texts_continue_in_the_next_record() -> None:
    first = struct.pack("<II", 4, 4) + shared("ab", wide=False) + shared("ç" * 10, wide=True, rich=2, more=3)
    # The third text begins here with two of its five characters and continues narrow, then wide.
    first += struct.pack("<HB", 5, 1) + "xy".encode("utf-16-le")
    second = b"\x00z"
    third = b"\x01" + "wv".encode("utf-16-le") + shared("end", wide=False)
    assert list(_text_bytes([first, second, third], Limits())) == [4, 30, 14, 6]


def test_a_list_of_texts_that_lies_is_noticed() -> None:
    with pytest.raises((struct.error, IndexError)):
        _text_bytes([struct.pack("<II", 2, 2) + struct.pack("<HB", 60_000, 1) + b"xx"], Limits())


def test_extents_and_counts_beyond_memory_are_refused() -> None:
    backwards = struct.pack("<HHIIHH", 0x200, 14, 131_072, 12, 1, 8)
    extent = struct.pack("<HHIIHH", 0x200, 14, 0, 12, 1, 8)
    assert refusal(stream_patched(extent, backwards)) == "file.damaged"
    whole = struct.pack("<HHIIHH", 0x200, 14, 0, 65_536, 0, 256)
    assert refusal(stream_patched(extent, whole)) == "file.too_many_cells"
    with pytest.raises(InputError):
        _text_bytes([struct.pack("<II", 2, 2**31) + shared("ab", wide=False)], Limits())


SMALL = biff.label(0, 0, "Valor") + biff.number(1, 0)


def opened(
    *sheets: bytes, before: bytes = b"", encoding: int = 1200, limits: Limits | None = None
) -> list[tuple[object, ...]]:
    book = open_xls(biff.compound(biff.stream(*sheets, before=before, encoding=encoding)), limits or Limits())
    return [row.cells for sheet in book.sheets for row in sheet.rows()]


def test_files_made_by_hand_are_read_as_any_other() -> None:
    texts = biff.texts(biff.text("ação"), biff.text("ação", wide=True))
    cells = SMALL + biff.shared(2, 0, 0) + biff.shared(3, 0, 1) + biff.many_numbers(4, 0, 2, 1)
    assert opened(cells, before=texts) == [("Valor",), (1.0,), ("ação",), ("ação",), (0.0, 0.0)]


def test_texts_follow_the_format_not_the_file() -> None:
    assert opened(SMALL, encoding=1252) == [("Valor",), (1.0,)]


def test_a_formula_gives_its_result_only() -> None:
    # Each of these four bytes would move everything before it 255 times.
    spaces = b"\x1e\x01\x00" + b"\x19\x40\x00\xff" * 10
    assert opened(SMALL + biff.formula(2, 0, spaces, 7.5)) == [("Valor",), (1.0,), (7.5,)]


def test_numbers_counted_on_beyond_the_last_column_are_refused() -> None:
    far = SMALL + biff.many_numbers(20_000, 65_000, 637, 100)
    assert refusal(biff.compound(biff.stream(far))) == "file.damaged"


def test_the_total_size_of_all_sheets_is_limited() -> None:
    tight = Limits(cells=60)
    one = SMALL + biff.record(biff.OF_NO_CELL) * 400_000
    assert refusal(biff.compound(biff.stream(one, one, one, one, together=True)), tight) == "file.too_many_cells"
    half = b"".join(biff.number(row, 0) for row in range(31))
    assert refusal(biff.compound(biff.stream(half, half)), tight) == "file.too_many_cells"
    assert len(opened(half, limits=tight)) == 31


def test_shared_texts_are_one_list_of_limited_length() -> None:
    one = biff.text("ab")
    twice = biff.texts(one) + biff.texts(one, count=2**31 - 1)
    assert refusal(biff.compound(biff.stream(SMALL, before=twice))) == "file.damaged"
    many = biff.texts(one, count=61)
    assert refusal(biff.compound(biff.stream(SMALL, before=many)), Limits(cells=60)) == "file.too_many_cells"


def test_a_wide_text_takes_three_bytes_for_a_character() -> None:
    cells = b"".join(biff.shared(row, 0, 0) for row in range(10))
    book = biff.compound(biff.stream(cells, before=biff.texts(biff.text("中" * 10, wide=True))))
    assert open_xls(book, Limits(unpacked_bytes=300)).kind == "xls"
    assert refusal(book, Limits(unpacked_bytes=299)) == "file.unpacks_too_large"


def test_merges_columns_and_sheets_without_end_are_refused() -> None:
    merges = biff.record(0xE5, struct.pack("<H", 8_000) + struct.pack("<HHHH", 5, 5, 1, 1) * 8_000)
    assert refusal(biff.compound(biff.stream(SMALL + merges * 7))) == "file.too_many_marks"
    columns = biff.record(0x7D, struct.pack("<HHHHHH", 0, 255, 0, 0, 1, 0))
    assert refusal(biff.compound(biff.stream(SMALL + columns * 257))) == "file.damaged"
    assert refusal(biff.compound(biff.stream(*[b""] * 101))) == "file.too_many_sheets"


def test_the_searched_stream_is_the_one_that_is_read() -> None:
    small, far = (biff.stream(SMALL + more).ljust(4_096, b"\0") for more in (b"", biff.number(65_535, 65_535)))
    other = biff.compound(far, first=[biff.entry("WORKBOOK", 3, 4_096)], behind=small)
    assert [row.number for row in open_xls(other, Limits()).sheets[0].rows()] == [1, 2]


def test_a_cycle_of_sector_tables_does_not_affect_the_stream() -> None:
    circle = struct.pack("<1023II", *[0] * 1023, 3)
    book = biff.compound(biff.stream(SMALL), more_tables=(3, 0), behind=circle)
    assert [row.number for row in open_xls(book, Limits()).sheets[0].rows()] == [1, 2]


def test_excessive_ranges_are_refused_before_formats_apply() -> None:
    percent = biff.record(0xE0, struct.pack("<HH", 0, 10) + bytes(16))
    columns = b"".join(biff.number(0, column) for column in range(5_000))
    content = biff.compound(biff.stream(columns + biff.number(65_535, 0), before=percent))
    assert refusal(content) == "file.too_many_columns"
