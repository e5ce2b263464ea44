"""Comments of XLS cells: text in one record or several, of people alone, and never more than is kept."""

import struct

from connectors.spreadsheets.formats.sheet_metadata import OUR_AUTHOR, SheetMetadata
from connectors.spreadsheets.formats.xls_notes import MORE, NOTE, OBJECT, TEXT, Notes


def shape(number: int) -> tuple[int, bytes]:
    return OBJECT, struct.pack("<HHHH", 0x15, 0x12, 0x19, number)


def text(length: int) -> tuple[int, bytes]:
    return TEXT, struct.pack("<HH6xH", 0, 0, length)


def characters(words: str, *, wide: bool = False) -> tuple[int, bytes]:
    return MORE, bytes([wide]) + words.encode("utf-16-le" if wide else "latin-1")


def note(row: int, column: int, number: int, author: str = "Ana") -> tuple[int, bytes]:
    return NOTE, struct.pack("<HHHHHB", row, column, 0, number, len(author), 0) + author.encode("latin-1")


def comments(*records: tuple[int, bytes]) -> dict[tuple[int, int], str]:
    notes, marks = Notes(), SheetMetadata()
    for kind, data in records:
        notes.take(kind, data)
    notes.mark(marks)
    return dict(marks.comments)


def test_a_comment_is_on_the_cell_of_its_note():
    first = [shape(1), text(11), characters("não faturar")]
    second = [shape(2), text(4), characters("aguá", wide=True)]
    found = comments(*first, *second, note(2, 3, 1), note(1, 0, 2))
    assert found == {(2, 3): "não faturar", (1, 0): "aguá"}


def test_a_long_text_continues_in_the_next_record_alone():
    runs = (MORE, b"\0\0\0\0\x05\0\0\0")
    assert comments(shape(1), text(8), characters("não "), characters("sabe", wide=True), runs, note(0, 0, 1)) == {
        (0, 0): "não sabe"
    }
    assert len(comments(shape(1), text(60_000), *[characters("x" * 8_000)] * 5, note(0, 0, 1))[0, 0]) == 2_000


def test_our_own_text_is_no_comment():
    assert comments(shape(1), text(2), characters("oi"), note(0, 0, 1, OUR_AUTHOR)) == {}


def test_truncated_records_give_no_comment():
    assert comments((OBJECT, b"\x15"), (TEXT, b""), (MORE, b""), (NOTE, b"\0\0"), note(0, 0, 9)) == {}
    assert comments(characters("of no object"), shape(1), characters("of no text"), note(0, 0, 1)) == {}
