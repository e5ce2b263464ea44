"""XLSB: the parts of an XLSX as binary records; calamine for the values, a pass over the records for the marks."""

import struct
from array import array
from collections.abc import Iterator
from typing import Final

from connectors.spreadsheets.formats.links import check_root, check_sheets, linked_parts
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheet_metadata import MARKS_AT_MOST, SheetMetadata, kind_of_format, too_many_marks
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from connectors.spreadsheets.formats.values import CalamineBook, CalamineCells, MarkedSheet, keep_limits, too_much_text
from connectors.spreadsheets.formats.xls import ERRORS, KNOWN_FORMATS, RECORDS_BESIDE_CELLS
from domain.problems import InputError, Problem

_INDEX: Final = "xl/workbook.bin"
_LINKS: Final = "xl/_rels/workbook.bin.rels"
_TEXTS: Final = "xl/sharedStrings.bin"
_STYLES: Final = "xl/styles.bin"
_MACROS: Final = "xl/vbaProject.bin"

_ROW, _BLANK, _ERROR, _TEXT, _FORMULA_ERROR, _LAST_CELL = 0, 1, 3, 7, 11, 11
_SHARED_TEXT, _FORMAT, _STYLE, _COLUMNS, _BOOK, _SHEET, _MERGE = 19, 44, 47, 60, 153, 156, 176
_LATER, _LATER_END, _TEXTS_BEGIN, _FORMATS_BEGIN, _STYLES_BEGIN, _STYLES_END = 35, 36, 159, 615, 617, 618
_HIDDEN_ROW: Final = 0x10
_ROWS_OF_A_SHEET, _COLUMNS_OF_A_SHEET, _STYLES_AT_MOST = 1_048_576, 16_384, 65_536


def open_xlsb(content: bytes, limits: Limits) -> Workbook:
    """Return the visible worksheets of an XLSB file.

    Raises `InputError` for a damaged, unsafe or too large file.
    """
    package = Package(content, unpacked_bytes=limits.unpacked_bytes)
    check_root(package, _INDEX)
    try:
        listed, dates_from = _read_index(package)
        walk = _Walk(package, limits)
        found = [
            (number, name, walk.sheet(package.read(part)))
            for number, (name, part, is_visible) in enumerate(listed)
            if is_visible and part in package
        ]
    except (struct.error, IndexError, UnicodeError) as error:
        raise InputError(Problem("file.damaged")) from error
    keep_limits([marks for _, _, marks in found], limits)
    book = CalamineBook(content, "xlsb")
    if [name for name, _ in book.sheets] != [name for name, _, _ in listed]:
        raise InputError(Problem("file.damaged"))
    return Workbook(
        kind="xlsb",
        sheets=tuple(MarkedSheet(CalamineCells(book, number, name), name, marks) for number, name, marks in found),
        hidden_sheets=tuple(name for name, _, is_visible in listed if not is_visible),
        facts={"dates_from": dates_from, **({"macros": "ignored"} if _MACROS in package else {})},
    )


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at, end = 0, len(data)
    while at < end:
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (data[at] & 0x7F) << 7
            at += 1
        length = shift = 0
        for _ in range(4):
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        at += length
        yield kind, data[at - length : at]


def _read_index(package: Package) -> tuple[list[tuple[str, str, bool]], str]:
    """Return name, part and visibility of each sheet in calamine's order, and the first year of day numbers."""
    links, listed, dates_from = linked_parts(package, _LINKS), list[tuple[str, str, bool]](), "1900"
    for kind, data in _records(package.read(_INDEX)):
        if kind == _BOOK and data and data[0] & 1:
            dates_from = "1904"
        elif kind == _SHEET:
            (state,) = struct.unpack_from("<I", data)
            link, at = _text(data, 8)
            name, _ = _text(data, at)
            listed.append((name, links.get(link, ""), state == 0))
    check_sheets([name for name, _, _ in listed], [part for _, part, _ in listed])
    return listed, dates_from


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Return the text whose length stands at position `at`, and the position after the text."""
    (length,) = struct.unpack_from("<I", data, at)
    end = at + 4 + 2 * length if length != 0xFFFFFFFF else at + 4
    if end > len(data):
        raise InputError(Problem("file.damaged"))
    return data[at + 4 : end].decode("utf-16-le"), end


class _Walk:
    """The pass over the records of all parts in sequence, because the limits apply to all parts together.

    Refuse wrong counts: calamine requests memory for the declared number of texts and styles before it reads one.
    """

    def __init__(self, package: Package, limits: Limits) -> None:
        self._limits = limits
        self._records = self._cells = self._text_bytes = 0
        self._texts = self._read_texts(package.read(_TEXTS)) if _TEXTS in package else array("I")
        self._formats = self._read_formats(package.read(_STYLES)) if _STYLES in package else {}
        self._begin()

    def _begin(self) -> None:
        self._marks, self._rows = SheetMetadata(), set[int]()
        self._shown = array("I")
        self._merges: list[tuple[int, int, int, int]] = []
        self._column_ranges = self._row = 0

    def _counted(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for each in _records(data):
            self._records += 1
            if self._records > self._limits.cells + RECORDS_BESIDE_CELLS:
                raise self._too_many()
            yield each

    def _too_many(self) -> InputError:
        return InputError(Problem("file.too_many_cells", params={"limit": self._limits.cells}))

    def _read_texts(self, data: bytes) -> "array[int]":
        """Return the bytes of each shared text. Like calamine, start at the start record and skip future records."""
        lengths, announced, is_later = array("I"), None, False
        for kind, record in self._counted(data):
            if is_later:
                is_later = kind != _LATER_END
            elif announced is None:
                announced = struct.unpack_from("<I", record, 4)[0] if kind == _TEXTS_BEGIN else None
            elif kind == _LATER:
                is_later = True
            elif kind == _SHARED_TEXT:
                # exactly the declared length: calamine would fill a shorter text from the record before
                _text(record, 1)
                lengths.append(len(record))
        if announced is not None and announced > len(data):
            raise InputError(Problem("file.damaged"))
        return lengths

    def _read_formats(self, data: bytes) -> dict[int, int]:
        codes, numbers, is_cells = dict(KNOWN_FORMATS), list[int](), False
        for kind, record in self._counted(data):
            if kind in (_FORMATS_BEGIN, _STYLES_BEGIN) and struct.unpack_from("<I", record)[0] > _STYLES_AT_MOST:
                raise InputError(Problem("file.damaged"))
            if kind == _FORMAT:
                codes[struct.unpack_from("<H", record)[0]] = _text(record, 2)[0]
            elif kind in (_STYLES_BEGIN, _STYLES_END):
                is_cells = kind == _STYLES_BEGIN
            elif kind == _STYLE and is_cells:
                numbers.append(struct.unpack_from("<H", record, 2)[0])
        kinds = {number: kind for number, code in codes.items() if (kind := kind_of_format(code))}
        return {index: kinds[number] for index, number in enumerate(numbers) if number in kinds}

    def sheet(self, data: bytes) -> SheetMetadata:
        """Return the marks of one sheet. Count the bytes of its cells as if each had its own copy of its text."""
        self._begin()
        marks, rows = self._marks, self._rows
        for kind, record in self._counted(data):
            if _BLANK < kind <= _LAST_CELL:
                column, style = struct.unpack_from("<II", record)
                rows.add(self._row)
                marks.width = max(marks.width, column + 1)
                self._cells += 1
                if self._cells > self._limits.cells:
                    raise self._too_many()
                self._take_cell(kind, record, column, style & 0xFFFFFF)
            elif kind in (_ROW, _COLUMNS, _MERGE):
                self._take_other(kind, record)
        if self._text_bytes > self._limits.unpacked_bytes:
            raise too_much_text(self._limits)
        marks.row_count, marks.height = len(rows), max(rows, default=-1) + 1
        keep_limits([marks], self._limits)
        shown = iter(self._shown)
        for row, column, kind in zip(shown, shown, shown, strict=True):
            marks.mark_format(row, column, kind)
        for merge in self._merges:
            marks.cover(*merge)
        return marks

    def _take_cell(self, kind: int, record: bytes, column: int, style: int) -> None:
        if kind == _TEXT:
            (number,) = struct.unpack_from("<I", record, 8)
            self._text_bytes += self._texts[number] if number < len(self._texts) else 0
        elif kind in (_ERROR, _FORMULA_ERROR):
            self._marks.errors[self._row, column] = ERRORS.get(record[8], "#?")
            if len(self._marks.errors) > MARKS_AT_MOST:
                raise too_many_marks()
        elif style in self._formats:
            self._shown.extend((self._row, column, self._formats[style]))

    def _take_other(self, kind: int, record: bytes) -> None:
        if kind == _ROW:
            (self._row,) = struct.unpack_from("<I", record)
            if self._row >= _ROWS_OF_A_SHEET:
                raise InputError(Problem("file.damaged"))
            if record[11] & _HIDDEN_ROW:
                self._marks.hidden_rows.add(self._row)
        elif kind == _COLUMNS:
            first, last, _, _, flags = struct.unpack_from("<IIIIH", record)
            self._column_ranges += 1
            if self._column_ranges > _COLUMNS_OF_A_SHEET:
                raise InputError(Problem("file.damaged"))
            if flags & 1:
                self._marks.hidden_columns.update(range(first, min(last + 1, self._limits.columns)))
        else:
            first_row, last_row, first, last = struct.unpack_from("<IIII", record)
            self._merges.append((first_row, last_row, first, last))
            if len(self._merges) > MARKS_AT_MOST:
                raise too_many_marks()
