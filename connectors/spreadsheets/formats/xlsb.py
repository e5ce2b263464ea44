"""XLSB: the parts of an XLSX as binary records; calamine for the values, a walk over the records for the rest."""

import struct
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Final

from connectors.spreadsheets.formats.marks import MARKS_AT_MOST, Marks, kind_of_format, too_many_marks
from connectors.spreadsheets.formats.package import Package
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from connectors.spreadsheets.formats.values import CalamineBook, MarkedSheet, keep_limits, too_much_text
from connectors.spreadsheets.formats.xls import ERRORS, PERCENTAGES
from connectors.spreadsheets.formats.xlsx import check_names, linked_parts
from domain.problems import LayoutError, Problem

_INDEX: Final = "xl/workbook.bin"
_LINKS: Final = "xl/_rels/workbook.bin.rels"
_TEXTS: Final = "xl/sharedStrings.bin"
_STYLES: Final = "xl/styles.bin"
_MACROS: Final = "xl/vbaProject.bin"

_ROW, _BLANK, _ERROR, _TEXT, _FORMULA_ERROR, _LAST_CELL = 0, 1, 3, 7, 11, 11
_SHARED_TEXT, _FORMAT, _STYLE, _COLUMNS, _BOOK, _SHEET, _MERGE, _STYLES_BEGIN, _STYLES_END = (
    19, 44, 47, 60, 153, 156, 176, 617, 618,
)  # fmt: skip
_ANNOUNCED: Final = {159: 4, 615: 0, 617: 0}
_HIDDEN_ROW: Final = 0x10


def open_xlsb(content: bytes, limits: Limits) -> Workbook:
    """The visible worksheets of an XLSB file. Raises `LayoutError` for a damaged, unsafe or too large one."""
    package = Package(content, unpacked_bytes=limits.unpacked_bytes)
    try:
        listed, dates_from = _read_index(package)
        _check_counts(package)
        formats, lengths = _formats(package), _text_lengths(package, limits)
        found = []
        for number, (name, part, is_visible) in enumerate(listed):
            if is_visible and part in package:
                marks, uses = _Walk(limits, formats).sheet(package.read(part))
                found.append((number, name, marks))
                if sum(lengths[each] * count for each, count in uses.items() if each < len(lengths)) > (
                    limits.unpacked_bytes
                ):
                    raise too_much_text(limits)
    except (struct.error, IndexError, UnicodeError) as error:
        raise LayoutError(Problem("file.damaged")) from error
    keep_limits([marks for _, _, marks in found], limits)
    book = CalamineBook(content, "xlsb")
    if [name for name, _ in book.sheets] != [name for name, _, _ in listed]:
        raise LayoutError(Problem("file.damaged"))
    return Workbook(
        kind="xlsb",
        sheets=tuple(MarkedSheet(book, number, name, marks) for number, name, marks in found),
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
    """Name, part and visibility of each sheet, in the order in which calamine counts them."""
    links, listed, dates_from = linked_parts(package, _LINKS), list[tuple[str, str, bool]](), "1900"
    for kind, data in _records(package.read(_INDEX)):
        if kind == _BOOK and data and data[0] & 1:
            dates_from = "1904"
        elif kind == _SHEET:
            (state,) = struct.unpack_from("<I", data)
            link, at = _text(data, 8)
            name, _ = _text(data, at)
            listed.append((name, links.get(link, ""), state == 0))
    check_names([name for name, _, _ in listed])
    return listed, dates_from


def _formats(package: Package) -> dict[int, int]:
    if _STYLES not in package:
        return {}
    codes, numbers, is_cells = dict(PERCENTAGES), list[int](), False
    for kind, data in _records(package.read(_STYLES)):
        if kind == _FORMAT:
            codes[struct.unpack_from("<H", data)[0]] = _text(data, 2)[0]
        elif kind in (_STYLES_BEGIN, _STYLES_END):
            is_cells = kind == _STYLES_BEGIN
        elif kind == _STYLE and is_cells:
            numbers.append(struct.unpack_from("<H", data, 2)[0])
    kinds = {number: kind for number, code in codes.items() if (kind := kind_of_format(code))}
    return {index: kinds[number] for index, number in enumerate(numbers) if number in kinds}


def _text_lengths(package: Package, limits: Limits) -> "array[int]":
    lengths = array("I")
    if _TEXTS in package:
        for kind, data in _records(package.read(_TEXTS)):
            if kind == _SHARED_TEXT:
                lengths.append(len(data))
            if len(lengths) > limits.cells:
                raise LayoutError(Problem("file.too_many_cells", params={"limit": limits.cells}))
    return lengths


def _check_counts(package: Package) -> None:
    """calamine asks for memory for as many texts and styles as are announced, before it has seen one."""
    for part in (_TEXTS, _STYLES):
        if part in package:
            data = package.read(part)
            for kind, record in _records(data):
                at = _ANNOUNCED.get(kind)
                if at is not None and len(record) >= at + 4 and struct.unpack_from("<I", record, at)[0] > len(data):
                    raise LayoutError(Problem("file.damaged"))


def _text(data: bytes, at: int) -> tuple[str, int]:
    """A text with its length before it, and where it ends."""
    (length,) = struct.unpack_from("<I", data, at)
    end = at + 4 + 2 * length if length != 0xFFFFFFFF else at + 4
    if end > len(data):
        raise LayoutError(Problem("file.damaged"))
    return data[at + 4 : end].decode("utf-16-le"), end


class _Walk:
    """One pass over a sheet's records."""

    def __init__(self, limits: Limits, formats: dict[int, int]) -> None:
        self._limits, self._formats = limits, formats
        self._marks = Marks()
        self._shown: list[tuple[int, int, int]] = []
        self._merges: list[tuple[int, int, int, int]] = []
        self._uses: Counter[int] = Counter()
        self._row = 0

    def sheet(self, data: bytes) -> tuple[Marks, Counter[int]]:
        """The marks, and how often each shared text is used."""
        marks, rows, count = self._marks, set[int](), 0
        for kind, record in _records(data):
            if _BLANK < kind <= _LAST_CELL:
                column, style = struct.unpack_from("<II", record)
                rows.add(self._row)
                marks.width = max(marks.width, column + 1)
                count += 1
                if count > self._limits.cells:
                    raise LayoutError(Problem("file.too_many_cells", params={"limit": self._limits.cells}))
                self._take_cell(kind, record, column, style & 0xFFFFFF)
            elif kind in (_ROW, _COLUMNS, _MERGE):
                self._take_other(kind, record)
        marks.row_count, marks.height = len(rows), max(rows, default=-1) + 1
        for row, column, shown in self._shown:
            marks.mark_format(row, column, shown)
        for merge in self._merges:
            marks.cover(*merge)
        return marks, self._uses

    def _take_cell(self, kind: int, record: bytes, column: int, style: int) -> None:
        if kind == _TEXT:
            self._uses[struct.unpack_from("<I", record, 8)[0]] += 1
        elif kind in (_ERROR, _FORMULA_ERROR):
            self._marks.errors[self._row, column] = ERRORS.get(record[8], "#?")
            if len(self._marks.errors) > MARKS_AT_MOST:
                raise too_many_marks()
        elif style in self._formats:
            self._shown.append((self._row, column, self._formats[style]))

    def _take_other(self, kind: int, record: bytes) -> None:
        if kind == _ROW:
            (self._row,) = struct.unpack_from("<I", record)
            if record[11] & _HIDDEN_ROW:
                self._marks.hidden_rows.add(self._row)
        elif kind == _COLUMNS:
            first, last, _, _, flags = struct.unpack_from("<IIIIH", record)
            if flags & 1:
                self._marks.hidden_columns.update(range(first, min(last + 1, self._limits.columns)))
        else:
            first_row, last_row, first, last = struct.unpack_from("<IIII", record)
            self._merges.append((first_row, last_row, first, last))
