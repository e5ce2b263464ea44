"""XLS, the binary format of Excel 97 to 2003: calamine for the values, a pass over the records for the marks.

The pass comes first, because calamine reads every sheet as soon as it opens a file. calamine then gets only the stream
that was checked, without the formulas: it would convert each to text, and some take hours. The format has no flag for a
formula without a result, so this module cannot detect one.
"""

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from connectors.spreadsheets.formats.compound import Compound, packed
from connectors.spreadsheets.formats.links import SHEETS_AT_MOST
from connectors.spreadsheets.formats.sheet_metadata import MARKS_AT_MOST, SheetMetadata, kind_of_format, too_many_marks
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from connectors.spreadsheets.formats.values import CalamineBook, CalamineCells, MarkedSheet, keep_limits, too_much_text
from connectors.spreadsheets.formats.xls_notes import Notes
from domain.problems import InputError, Problem

ERRORS: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}  # fmt: skip
KNOWN_FORMATS: Final = {
    1: "0", 3: "#,##0", 5: '"$"#,##0', 6: '"$"#,##0', 9: "0%", 10: "0.00%", 37: "#,##0", 38: "#,##0",
}  # fmt: skip
"""Built-in number formats that hide a part of a number, or show a percentage."""

_BOF, _EOF, _FILEPASS, _DATEMODE, _SHEET, _TEXTS, _MORE = 0x809, 0x0A, 0x2F, 0x22, 0x85, 0xFC, 0x3C
_FORMAT, _STYLE, _EXTENT, _ROW, _COLUMNS, _MERGES = 0x41E, 0xE0, 0x200, 0x208, 0x7D, 0xE5
_NUMBER, _RK, _MANY_RK, _TEXT, _LABEL, _RICH, _FLAG, _FORMULA = 0x203, 0x27E, 0xBD, 0xFD, 0x204, 0xD6, 0x205, 0x06
_ENCODING: Final = 0x42
_FONT, _STROKE, _NO_FONT = 0x31, 0x08, 4
_CELLS: Final = frozenset({_NUMBER, _RK, _MANY_RK, _TEXT, _LABEL, _RICH, _FLAG, _FORMULA})
_BIFF8: Final = 0x600
_ROWS_OF_A_SHEET, _COLUMNS_OF_A_SHEET = 65_536, 256
_EMPTY_CELLS: Final = 4
RECORDS_BESIDE_CELLS: Final = 1_000_000
_UTF16: Final = 1_200
_FORMULA_START: Final = 20
_NO_FORMULA: Final = struct.pack("<HB", 1, 0x16)
_HIDDEN_ROW: Final = 0x20
_ERROR_RESULT: Final = 2
_FLAGS_OF_TEXT: Final = (0x08, 0x04, 0x01)
_BYTES_OF_A_CHARACTER: Final = (2, 3)
"""The most UTF-8 bytes of a character in a text of one-byte characters, and in one of two-byte characters."""


@dataclass(slots=True)
class _Listed:
    start: int
    name: str
    is_visible: bool
    is_worksheet: bool


@dataclass(slots=True)
class _Index:
    """The records before the first sheet.

    Attributes:
        texts: For each shared text, the bytes that a copy of it may need.
        encodings: Positions in the stream of the declared encoding.
        fonts: For each font, whether it strikes through.
    """

    sheets: list[_Listed] = field(default_factory=list)
    texts: "array[int]" = field(default_factory=lambda: array("I"))
    codes: dict[int, str] = field(default_factory=lambda: dict(KNOWN_FORMATS))
    styles: list[int] = field(default_factory=list)
    dates_from: str = "1900"
    encodings: list[int] = field(default_factory=list)
    fonts: list[bool] = field(default_factory=list)
    style_fonts: list[int] = field(default_factory=list)

    def struck(self) -> frozenset[int]:
        """Return the indexes of the cell styles with struck-through text. There is no font number four."""
        fonts = [*self.fonts[:_NO_FONT], False, *self.fonts[_NO_FONT:]]
        return frozenset(index for index, font in enumerate(self.style_fonts) if font < len(fonts) and fonts[font])

    def formats(self) -> dict[int, int]:
        kinds = {number: kind for number, code in self.codes.items() if (kind := kind_of_format(code))}
        return {index: kinds[number] for index, number in enumerate(self.styles) if number in kinds}


def open_xls(content: bytes, limits: Limits) -> Workbook:
    """Return the visible worksheets of an XLS file.

    Raises `InputError` for a damaged, protected, old or too large file.
    """
    stream = Compound(content).stream("Workbook", "Book")
    if stream is None:
        raise InputError(Problem("file.unsupported", params={"found": "OLE"}))
    try:
        index = _read_index(stream, limits)
        walk = _Walk(index, limits)
        walked = [walk.sheet(stream, each.start) for each in index.sheets]
    except (struct.error, IndexError) as error:
        raise InputError(Problem("file.damaged")) from error
    # calamine reads all sheets, so all of them count
    keep_limits(walked, limits)
    if walk.text_bytes > limits.unpacked_bytes:
        raise too_much_text(limits)
    book = CalamineBook(packed(_bare(stream, index.encodings, walk.formulas)), "xls")
    if [name for name, _ in book.sheets] != [each.name for each in index.sheets]:
        raise InputError(Problem("file.damaged"))
    return Workbook(
        kind="xls",
        sheets=tuple(
            MarkedSheet(CalamineCells(book, number, each.name), each.name, walked[number])
            for number, each in enumerate(index.sheets)
            if each.is_visible and each.is_worksheet
        ),
        hidden_sheets=tuple(each.name for each in index.sheets if each.is_worksheet and not each.is_visible),
        facts={"dates_from": index.dates_from},
    )


def _bare(stream: bytes, encodings: list[int], formulas: "array[int]") -> bytearray:
    """Return the stream with empty formulas, and with UTF-16 as the declared encoding of its texts."""
    bare = bytearray(stream)
    for at in encodings:
        struct.pack_into("<H", bare, at, _UTF16)
    for at in formulas:
        bare[at : at + len(_NO_FORMULA)] = _NO_FORMULA
    return bare


def _records(stream: bytes, at: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield each record's kind, data and the end position of the data."""
    end = len(stream) - 4
    while at <= end:
        kind, length = struct.unpack_from("<HH", stream, at)
        at += 4 + length
        yield kind, stream[at - length : at], at


def _read_index(stream: bytes, limits: Limits) -> _Index:
    index, texts, is_text = _Index(), list[bytes](), False
    for number, (kind, data, end) in enumerate(_records(stream, 0)):
        if number == 0 and (kind != _BOF or struct.unpack_from("<H", data)[0] != _BIFF8):
            raise InputError(Problem("file.too_old"))
        if kind == _EOF:
            break
        if kind == _FILEPASS:
            raise InputError(Problem("file.password"))
        if kind == _TEXTS and texts:
            raise InputError(Problem("file.damaged"))
        is_text = kind == _TEXTS or (is_text and kind == _MORE)
        if is_text:
            texts.append(data)
        elif kind == _ENCODING and len(data) > 1:
            index.encodings.append(end - len(data))
        else:
            _take_index(index, kind, data)
        if len(index.sheets) > SHEETS_AT_MOST:
            raise InputError(Problem("file.too_many_sheets", params={"limit": SHEETS_AT_MOST}))
    if texts:
        index.texts = _text_bytes(texts, limits)
    return index


def _take_index(index: _Index, kind: int, data: bytes) -> None:
    if kind == _SHEET:
        start, state, sort = struct.unpack_from("<IBB", data)
        index.sheets.append(_Listed(start, _short_text(data[6:]), not state & 3, sort == 0))
    elif kind == _DATEMODE and data[:1] == b"\x01":
        index.dates_from = "1904"
    elif kind == _FORMAT:
        length, flags = struct.unpack_from("<HB", data, 2)
        wide = flags & 1
        index.codes[struct.unpack_from("<H", data)[0]] = _decoded(data[5 : 5 + (length << wide)], wide)
    elif kind == _FONT:
        index.fonts.append(bool(struct.unpack_from("<H", data, 2)[0] & _STROKE))
    elif kind == _STYLE:
        index.style_fonts.append(struct.unpack_from("<H", data)[0])
        index.styles.append(struct.unpack_from("<H", data, 2)[0])


def _short_text(data: bytes) -> str:
    length, flags = data[0], data[1]
    return _decoded(data[2 : 2 + (length << (flags & 1))], flags & 1)


def _decoded(data: bytes, wide: int) -> str:
    return data.decode("utf-16-le" if wide else "latin-1", "replace")


def _text_bytes(pieces: list[bytes], limits: Limits) -> "array[int]":
    """Return the most bytes of each shared text in UTF-8. A text may continue in the next record after a flag byte."""
    sizes, number, at = array("I"), 0, 8
    (count,) = struct.unpack_from("<I", pieces[0], 4)
    if count > limits.cells:
        # calamine requests memory for the declared number of cells
        raise InputError(Problem("file.too_many_cells", params={"limit": limits.cells}))
    while len(sizes) < count:
        if at >= len(pieces[number]):
            number, at = number + 1, 0
        if number == len(pieces):
            break
        size, number, at = _take_text(pieces, number, at)
        sizes.append(size)
    return sizes


def _take_text(pieces: list[bytes], number: int, at: int) -> tuple[int, int, int]:
    """Return the most bytes of one text in UTF-8, and the piece and position of its end."""
    left, flags = struct.unpack_from("<HB", pieces[number], at)
    at += 3
    rich, more, wide = (bool(flags & each) for each in _FLAGS_OF_TEXT)
    size = rest = 0
    if rich:
        rest, at = 4 * struct.unpack_from("<H", pieces[number], at)[0], at + 2
    if more:
        rest, at = rest + struct.unpack_from("<I", pieces[number], at)[0], at + 4
    while (room := (len(pieces[number]) - at) >> wide) < left:
        left -= max(room, 0)
        size += max(room, 0) * _BYTES_OF_A_CHARACTER[wide]
        number += 1
        wide, at = bool(pieces[number][0] & 1), 1
    at += left << wide
    while at + rest > len(pieces[number]) and rest:
        rest -= len(pieces[number]) - at
        number, at = number + 1, 0
    return size + left * _BYTES_OF_A_CHARACTER[wide], number, at + rest


class _Walk:
    """The pass over the records of all sheets in sequence, because the limits apply to all sheets together."""

    def __init__(self, index: _Index, limits: Limits) -> None:
        self.formulas = array("I")
        self.text_bytes = 0
        self._index, self._limits = index, limits
        self._formats, self._struck = index.formats(), index.struck()
        self._records = self._cells = 0
        self._begin()

    def _begin(self) -> None:
        self._marks, self._rows = SheetMetadata(), set[int]()
        self._shown = array("I")
        self._merges: list[tuple[int, int, int, int]] = []
        self._column_ranges = 0
        self._notes = Notes()

    def sheet(self, stream: bytes, start: int) -> SheetMetadata:
        """Return the marks of one sheet. Count the bytes of its cells as if each had its own copy of its text."""
        self._begin()
        marks = self._marks
        for kind, data, end in _records(stream, start):
            self._records += 1
            if kind in _CELLS:
                self._count(kind, data, end)
            elif kind == _EOF:
                break
            else:
                self._take_other(kind, data)
                self._notes.take(kind, data)
            if self._records > self._limits.cells + RECORDS_BESIDE_CELLS:
                raise self._too_many()
        self._notes.mark(marks)
        marks.row_count, marks.height = len(self._rows), max(self._rows, default=-1) + 1
        keep_limits([marks], self._limits)
        shown = iter(self._shown)
        for row, column, kind in zip(shown, shown, shown, strict=True):
            marks.mark_format(row, column, kind)
        for merge in self._merges:
            marks.cover(*merge)
        return marks

    def _count(self, kind: int, data: bytes, end: int) -> None:
        row, column, style = struct.unpack_from("<HHH", data)
        self._rows.add(row)
        last = column
        if kind == _MANY_RK:
            (last,) = struct.unpack_from("<H", data, len(data) - 2)
            if last < column:
                # calamine would continue to count after the largest number, to a distant cell
                raise InputError(Problem("file.damaged"))
        elif kind == _FORMULA and len(data) >= _FORMULA_START + len(_NO_FORMULA):
            self.formulas.append(end - len(data) + _FORMULA_START)
        self._marks.width = max(self._marks.width, last + 1)
        self._cells += last - column + 1
        if self._cells > self._limits.cells:
            raise self._too_many()
        self._take_cell(kind, data, (row, column, style))

    def _too_many(self) -> InputError:
        return InputError(Problem("file.too_many_cells", params={"limit": self._limits.cells}))

    def _take_cell(self, kind: int, data: bytes, place: tuple[int, int, int]) -> None:
        row, column, style = place
        if style in self._struck and len(self._marks.struck) < MARKS_AT_MOST:
            self._marks.struck.add((row, column))
        if kind == _TEXT:
            (number,) = struct.unpack_from("<I", data, 6)
            self.text_bytes += self._index.texts[number] if number < len(self._index.texts) else 0
        elif kind == _FLAG and data[7]:
            self._mark_error(row, column, data[6])
        elif kind == _FORMULA and data[12:14] == b"\xff\xff" and data[6] == _ERROR_RESULT:
            self._mark_error(row, column, data[8])
        elif kind == _MANY_RK:
            for offset in range((len(data) - 6) // 6):
                (style,) = struct.unpack_from("<H", data, 4 + 6 * offset)
                if style in self._formats:
                    self._shown.extend((row, column + offset, self._formats[style]))
        elif style in self._formats:
            self._shown.extend((row, column, self._formats[style]))

    def _take_other(self, kind: int, data: bytes) -> None:
        if kind == _EXTENT:
            self._check_extent(data)
        elif kind == _ROW:
            (row,) = struct.unpack_from("<H", data)
            if struct.unpack_from("<H", data, 12)[0] & _HIDDEN_ROW:
                self._marks.hidden_rows.add(row)
        elif kind == _COLUMNS:
            self._take_columns(data)
        elif kind == _MERGES:
            (count,) = struct.unpack_from("<H", data)
            for number in range(count):
                first_row, last_row, first, last = struct.unpack_from("<HHHH", data, 2 + 8 * number)
                self._merges.append((first_row, last_row, first, last))
            if len(self._merges) > MARKS_AT_MOST:
                raise too_many_marks()

    def _take_columns(self, data: bytes) -> None:
        first, last, _, _, flags = struct.unpack_from("<HHHHH", data)
        self._column_ranges += 1
        if self._column_ranges > _COLUMNS_OF_A_SHEET:
            raise InputError(Problem("file.damaged"))
        if flags & 1:
            self._marks.hidden_columns.update(range(first, min(last + 1, self._limits.columns)))

    def _check_extent(self, data: bytes) -> None:
        """Raise `InputError` for a wrong extent: calamine requests memory for all of it before it reads a cell."""
        first_row, end_row, first, end = struct.unpack_from("<IIHH", data)
        if first_row > end_row or first > end or end_row > _ROWS_OF_A_SHEET or end > _COLUMNS_OF_A_SHEET:
            raise InputError(Problem("file.damaged"))
        if (end_row - first_row) * (end - first) > _EMPTY_CELLS * self._limits.cells:
            raise self._too_many()

    def _mark_error(self, row: int, column: int, code: int) -> None:
        self._marks.errors[row, column] = ERRORS.get(code, "#?")
        if len(self._marks.errors) > MARKS_AT_MOST:
            raise too_many_marks()
