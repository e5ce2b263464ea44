"""Find the `SheetMetadata` of an XLSX sheet by searches in its XML.

The searches require cells of the form `<c r="A1" s="…" …>`, as all common programs write them. A sheet with any other
cell goes through an XML parser (`xml_fallback`), which is slower and therefore refuses large sheets.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from connectors.spreadsheets.formats.row_regex import UsualRows, set_aside, without_blank_rows
from connectors.spreadsheets.formats.sheet_metadata import (
    MARKS_AT_MOST,
    CellPosition,
    SheetMetadata,
    column_index,
    too_many_marks,
)
from connectors.spreadsheets.formats.xml_fallback import parsed
from domain.problems import InputError, Problem

_STRIDE: Final = 1 << 20
_OVERLAP: Final = 40

TAGS_PER_CELL: Final = 8
ROWS_OF_A_SHEET: Final = 1_048_576
COLUMN_TAGS_AT_MOST: Final = 2_000
_ODD_CELL: Final = re.compile(rb'<(?:c(?:[\t\r\n/>]| (?!r="[A-Z]))|[A-Za-z_][\w.\-]{0,40}:c[\s/>])')
_ASIDE: Final = re.compile(rb"<!(?:--|\[CDATA\[)")
_APOSTROPHES: Final = re.compile(rb"""<(?:row|c|col|mergeCell|dimension)\s(?:[^<>"']|"[^"]*")*'""")
_LATE_STYLE: Final = re.compile(rb'<c r="[A-Z]{1,3}\d{1,7}"(?! s="\d)[^<>]*\ss\s*=')
_PLAIN_CELL: Final = b'<c r="'
_LETTERS: Final = re.compile(rb'<c r="([A-Z]{1,3})\d')
_NUMBERS: Final = re.compile(rb'<c r="[A-Z]{1,3}(\d{1,7})"')
_PLAIN_TAG: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"([^<>]*)>')
_FULL_CELL: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^<>]*(?<!/)>(?!</c>)')
_ERROR: Final = re.compile(
    rb'<c r="([A-Z]{1,3})(\d{1,7})"[^<>]*+>\s*+(?:<f[^<>]*+(?:(?<=/)>|>[^<]*+</f>))?+\s*+<v>([^<]{1,40})</v>'
)
_NO_RESULT: Final = re.compile(rb"<f(?=[ />])[^<>]*+(?:(?<=/)>|(?<!/)>[^<]*+</f>)(?!\s*+<v>[^<])")
# calamine returns the first shared text where the index of a text is no number
_NO_TEXT: Final = re.compile(
    rb'<c (?>[^<>]*? t="s")[^<>]*+(?<!/)>\s*+'
    rb"(?:<f(?=[ />])[^<>]*+(?:(?<=/)>|>[^<]*+</f>)\s*+)?+<v>(?!\d{1,9}</v>|</v>)"
)
# for a row number with too many digits calamine requests more memory than exists, and the process dies
_NO_ADDRESS: Final = re.compile(rb'<c r="(?![A-Z]{1,3}[0-9]{1,7}")|<row\s[^<>]*?\br="(?![0-9]{1,7}")')
_NO_RANGE: Final = re.compile(rb'<\w+\s[^<>]*?\bref="(?![A-Z]{1,3}[0-9]{1,7}(?::[A-Z]{1,3}[0-9]{1,7})?")')
_RANGES: Final = (b"<dimension", b"<mergeCell ")
# a row less than two points high, or a column without a width, shows nothing either
_HIDDEN: Final = re.compile(
    rb'\s(?:hidden\s*=\s*"(?:1|true)"|ht\s*=\s*"[01](?:\.\d{0,20})?"|width\s*=\s*"0(?:\.\d{0,20})?")'
)
_HIDING: Final = (b"hidden", b" ht", b' width="0')
# calamine reads a number between blanks as a text, whose comma or point may then mean another number
_PADDED: Final = re.compile(rb'\d">\s*+(?:<f(?=[ />])[^<>]*+(?:(?<=/)>|>[^<]*+</f>)\s*+)?+<v>\s')
_BLANKS: Final = (b"<v> ", b"<v>\n", b"<v>\r", b"<v>\t")
_ROW: Final = re.compile(rb"<row\s[^<>]*>")
_NUMBERED_ROW: Final = re.compile(rb'<row\s(?:[^<>]*\s)?r="(\d{1,7})"')
_ROW_NUMBER: Final = re.compile(rb'\sr="(\d{1,7})"')
_COLUMNS: Final = re.compile(rb"<col\s[^<>]*>")
_MERGE: Final = re.compile(rb'<mergeCell\s[^<>]*?\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_MIN: Final = re.compile(rb'\bmin="(\d{1,5})"')
_MAX: Final = re.compile(rb'\bmax="(\d{1,5})"')


def scan(
    data: bytes, *, rows: int, columns: int, cells: int, formats: Mapping[int, int] | None = None
) -> SheetMetadata:
    """Return the marks of one sheet. If it exceeds the limits, count again without cells that have only a format.

    `formats` maps the index of a cell style to its number format as in `SheetMetadata.formats`.

    Raises `InputError` before any costly step for a sheet with more than `cells` cells, or with markup for more.
    """
    # a short sheet cannot have too many cells or tags
    tags = data.count(b"<") if len(data) > len(_PLAIN_CELL) * cells else 0
    # counting one byte takes half the time, and there are no more cells than tags
    if tags > cells and data.count(_PLAIN_CELL) > cells:
        raise InputError(Problem("file.too_many_cells", params={"limit": cells}))
    row_tags = _row_tags(data, few=min(rows, ROWS_OF_A_SHEET))
    if row_tags > ROWS_OF_A_SHEET:
        raise InputError(Problem("file.too_many_rows", params={"limit": rows}))
    if tags > TAGS_PER_CELL * cells:
        raise InputError(Problem("file.unusual"))
    if row_tags > rows:
        data = without_blank_rows(data)
        row_tags = data.count(b"<row")
    usual = set_aside(data, formats or {}) if row_tags <= rows else UsualRows((), 0, {}, data)
    rest = usual.rest
    if _is_odd(rest, has_formats=bool(formats)):
        return parsed(data, columns=columns, cells=cells, formats=formats or {})
    if _NO_ADDRESS.search(rest) or _has_odd_values(rest) or _has_twins(rest, usual):
        raise InputError(Problem("file.damaged"))
    row_tags = len(usual.numbers) + rest.count(b"<row")
    marks = _exact_extent(rest, row_tags=row_tags, rows=rows, columns=columns, cells=cells)
    _stretch(marks, usual)
    if usual.numbers and marks.height * marks.width > cells:
        marks = _exact_extent(data, row_tags=row_tags, rows=rows, columns=columns, cells=cells)
    _check_ranges(rest)
    _mark_errors(rest, marks)
    _mark_uncalculated(rest, marks)
    # a plain search costs a twentieth of the pattern's
    if any(rest.find(word) >= 0 for word in _HIDING):
        _mark_hidden(rest, marks, columns)
    if formats and marks.height * marks.width <= cells:
        _mark_usual_formats(usual, marks)
        _mark_formats(rest, marks, formats)
    _mark_covered(rest, marks)
    return marks


def _row_tags(data: bytes, *, few: int) -> int:
    """Return the number of row tags; up to `few`, the result may be too large."""
    # every row tag has a w, and counting one byte takes a sixth of the time
    letters = data.count(b"w")
    return letters if letters <= few else data.count(b"<row")


def _is_odd(data: bytes, *, has_formats: bool) -> bool:
    """Return whether the markup differs from that of all common programs, so that a search might miss a mark."""
    return bool(
        _ODD_CELL.search(data)
        or _ASIDE.search(data)
        # a plain search first: hardly any sheet has an apostrophe outside its formulas
        or (data.find(b"'") >= 0 and _APOSTROPHES.search(data))
        or (has_formats and _LATE_STYLE.search(data))
    )


def _has_odd_values(data: bytes) -> bool:
    """Return whether calamine would misread a value."""
    is_padded = any(data.find(blank) >= 0 for blank in _BLANKS) and _PADDED.search(data)
    return bool(is_padded or _NO_TEXT.search(data))


def _has_twins(rest: bytes, usual: UsualRows) -> bool:
    """Return whether two rows have one number: programs differ in which of them they show."""
    numbers = [*usual.numbers, *map(int, _NUMBERED_ROW.findall(rest))]
    return len(set(numbers)) < len(numbers)


def _stretch(marks: SheetMetadata, usual: UsualRows) -> None:
    marks.row_count += len(usual.numbers)
    marks.height = max(marks.height, max(usual.numbers, default=0))
    marks.width = max(marks.width, usual.width if usual.numbers else 0)


def _check_ranges(data: bytes) -> None:
    for tag in _RANGES:
        at = data.find(tag)
        for _ in range(MARKS_AT_MOST):
            if at < 0:
                break
            if _NO_RANGE.match(data, at):
                raise InputError(Problem("file.damaged"))
            at = data.find(tag, at + 1)


def _exact_extent(data: bytes, *, row_tags: int, rows: int, columns: int, cells: int) -> SheetMetadata:
    letters: set[bytes] = set()
    numbers: set[bytes] = set()
    for piece in _pieces(data):
        letters.update(_LETTERS.findall(piece))
        numbers.update(_NUMBERS.findall(piece))
        if len(numbers) > row_tags:
            # cells name more rows than the sheet has row tags
            raise InputError(Problem("file.unusual"))
    height, width = _reach(letters, numbers)
    if len(numbers) > rows or width > columns or height * width > cells:
        # a cell far below or to the right that has only a format is no data
        letters, numbers = _of_full_cells(data)
        height, width = _reach(letters, numbers)
    return SheetMetadata(row_count=len(numbers), height=height, width=width)


def _reach(letters: set[bytes], numbers: set[bytes]) -> tuple[int, int]:
    return (
        max(map(int, numbers), default=0),
        max((column_index(each.decode()) + 1 for each in letters), default=0),
    )


def _pieces(data: bytes) -> Iterator[bytes]:
    # in pieces, so that a million matches are never in memory at once
    for start in range(0, len(data), _STRIDE):
        yield data[start : start + _STRIDE + _OVERLAP]


def _of_full_cells(data: bytes) -> tuple[set[bytes], set[bytes]]:
    letters: set[bytes] = set()
    numbers: set[bytes] = set()
    for found in _FULL_CELL.finditer(data):
        letters.add(found[1])
        numbers.add(found[2])
    return letters, numbers


def _mark_errors(data: bytes, marks: SheetMetadata) -> None:
    at = data.find(b' t="e"')
    for _ in range(MARKS_AT_MOST):
        if at < 0:
            return
        start = data.rfind(_PLAIN_CELL, max(0, at - 200), at)
        found = _ERROR.match(data, start) if start >= 0 else None
        if found:
            marks.errors[_position(found)] = found[3].decode("utf-8", "replace")
        at = data.find(b' t="e"', at + 1)
    raise too_many_marks()


def _mark_uncalculated(data: bytes, marks: SheetMetadata) -> None:
    for count, formula in enumerate(_NO_RESULT.finditer(data)):
        if count == MARKS_AT_MOST:
            raise too_many_marks()
        start = data.rfind(_PLAIN_CELL, max(0, formula.start() - 200), formula.start())
        cell = _PLAIN_TAG.match(data, start) if start >= 0 else None
        # an empty text is a valid result: =IF(A1="";"";…)
        if cell and b't="str"' not in cell[3]:
            marks.uncalculated.add(_position(cell))


def _mark_hidden(data: bytes, marks: SheetMetadata, columns: int) -> None:
    for row in _ROW.finditer(data):
        if _HIDDEN.search(row[0]) and (number := _row_number(data, row)):
            marks.hidden_rows.add(number - 1)
    for column in islice(_COLUMNS.finditer(data[: data.find(b"<sheetData")]), COLUMN_TAGS_AT_MOST):
        first, last = _MIN.search(column[0]), _MAX.search(column[0])
        if first and last and _HIDDEN.search(column[0]):
            marks.hidden_columns.update(range(int(first[1]) - 1, min(int(last[1]), columns)))


def _mark_usual_formats(usual: UsualRows, marks: SheetMetadata) -> None:
    if not usual.kinds:
        return
    is_usual = bytearray(max(marks.height, max(usual.numbers, default=0)))
    for number in usual.numbers:
        is_usual[number - 1] = 1
    del is_usual[marks.height :]
    marks.formats = {
        column: is_usual.translate(bytes((0, kind)) + bytes(254))
        for column, kind in usual.kinds.items()
        if column < marks.width
    }


def _mark_formats(data: bytes, marks: SheetMetadata, formats: Mapping[int, int]) -> None:
    listed = b"|".join(str(style).encode() for style in sorted(formats))
    styled = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})" s="(' + listed + rb')"')
    kinds = {str(style).encode(): kind for style, kind in formats.items()}
    columns: dict[bytes, bytearray] = {}
    for piece in _pieces(data):
        for letters, row, style in styled.findall(piece):
            column = columns.get(letters)
            if column is None:
                index = column_index(letters.decode())
                # beyond width and height there are only formats
                is_within = index < marks.width
                column = marks.formats.setdefault(index, bytearray(marks.height)) if is_within else bytearray()
                columns[letters] = column
            if (at := int(row) - 1) < len(column):
                column[at] = kinds[style]


def _mark_covered(data: bytes, marks: SheetMetadata) -> None:
    start = data.find(b"<mergeCell")
    if start < 0:
        return
    for count, found in enumerate(_MERGE.finditer(data, start)):
        if count == MARKS_AT_MOST:
            raise too_many_marks()
        first, last = column_index(found[1].decode()), column_index(found[3].decode())
        marks.cover(int(found[2]) - 1, int(found[4]) - 1, first, last)


def _row_number(data: bytes, row: re.Match[bytes]) -> int | None:
    # a row may have no number except in its first cell
    found = _ROW_NUMBER.search(row[0])
    if found:
        return int(found[1])
    cell = _PLAIN_TAG.match(data, row.end())
    return int(cell[2]) if cell else None


def _position(found: re.Match[bytes]) -> CellPosition:
    return int(found[2]) - 1, column_index(found[1].decode())
