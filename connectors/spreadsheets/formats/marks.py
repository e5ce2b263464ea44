"""What the cell reader does not tell, found in a sheet's XML: extents, errors, uncalculated formulas, hidden rows.

One pass of byte searches costs about a quarter of reading the cells. It relies on cells being written `<c r="A1" …>`,
as every common program does; a sheet with any other cell goes through an XML parser instead, which is slower and
therefore only for small sheets.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final
from xml.parsers import expat

from domain.problems import LayoutError, Problem

SLOW_BYTES_AT_MOST: Final = 12_000_000
MARKS_AT_MOST: Final = 50_000
_STRIDE: Final = 1 << 20
_OVERLAP: Final = 40

TAGS_PER_CELL: Final = 8
ROWS_OF_A_SHEET: Final = 1_048_576
COLUMN_TAGS_AT_MOST: Final = 2_000
_ODD_CELL: Final = re.compile(rb'<(?:c(?:[\t\r\n/>]| (?!r="[A-Z]))|[A-Za-z_][\w.\-]{0,40}:c[\s/>])')
_ASIDE: Final = re.compile(rb"<!(?:--|\[CDATA\[)")
_PLAIN_CELL: Final = b'<c r="'
_LETTERS: Final = re.compile(rb'<c r="([A-Z]{1,3})\d')
_NUMBERS: Final = re.compile(rb'<c r="[A-Z]{1,3}(\d{1,7})"')
_PLAIN_TAG: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"([^<>]*)>')
_FULL_CELL: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^<>]*(?<!/)>')
_ERROR: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^<>]*>(?:<f[^<>]*/>|<f[^<>]*>[^<]*</f>)?<v>([^<]{1,40})</v>')
_NO_RESULT: Final = re.compile(rb"<f(?: [^<>]*)?(?:/>|(?<!/)>[^<]*</f>)(?!<v>[^<])")
_HIDDEN: Final = re.compile(rb'\shidden\s*=\s*"(?:1|true)"')
_ROW: Final = re.compile(rb"<row\s[^<>]*>")
_ROW_NUMBER: Final = re.compile(rb'\sr="(\d{1,7})"')
_COLUMNS: Final = re.compile(rb"<col\s[^<>]*>")
_MIN: Final = re.compile(rb'\bmin="(\d{1,5})"')
_MAX: Final = re.compile(rb'\bmax="(\d{1,5})"')

Place = tuple[int, int]
"""Row and column, both from 0."""


@dataclass(slots=True)
class Marks:
    """`row_count` counts rows that hold something, `height` and `width` reach to the last of it."""

    row_count: int = 0
    height: int = 0
    width: int = 0
    errors: dict[Place, str] = field(default_factory=dict)
    uncalculated: set[Place] = field(default_factory=set)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)


def column_index(letters: str) -> int:
    """A → 0, Z → 25, AA → 26."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1


@lru_cache(maxsize=1024)
def column_letter(index: int) -> str:
    """0 → A, 25 → Z, 26 → AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def scan(data: bytes, *, rows: int, columns: int, cells: int) -> Marks:
    """The marks of one sheet. Only beyond `rows` or `columns` are cells that hold nothing but a format told apart.

    Raises `LayoutError` before any costly step for a sheet with more than `cells` cells, or with markup for more.
    """
    if data.count(_PLAIN_CELL) > cells:
        raise LayoutError(Problem("file.too_many_cells", params={"limit": cells}))
    row_tags = data.count(b"<row")
    if row_tags > ROWS_OF_A_SHEET:
        raise LayoutError(Problem("file.too_many_rows", params={"limit": rows}))
    if data.count(b"<") > TAGS_PER_CELL * cells:
        raise LayoutError(Problem("file.unusual"))
    if _ODD_CELL.search(data) or _ASIDE.search(data):
        return _parsed(data, columns)
    marks = Marks()
    letters: set[bytes] = set()
    numbers: set[bytes] = set()
    for piece in _pieces(data):
        letters.update(_LETTERS.findall(piece))
        numbers.update(_NUMBERS.findall(piece))
        if len(numbers) > row_tags:
            # cells of more rows than there are rows
            raise LayoutError(Problem("file.unusual"))
    if len(numbers) > rows or len(letters) > columns:
        letters, numbers = _of_full_cells(data)
    marks.row_count = len(numbers)
    marks.height = max(map(int, numbers), default=0)
    marks.width = max((column_index(each.decode()) + 1 for each in letters), default=0)
    _mark_errors(data, marks)
    _mark_uncalculated(data, marks)
    if _HIDDEN.search(data):
        _mark_hidden(data, marks, columns)
    return marks


def _pieces(data: bytes) -> Iterator[bytes]:
    # by the piece, so that a million matches never stand in memory at once
    for start in range(0, len(data), _STRIDE):
        yield data[start : start + _STRIDE + _OVERLAP]


def _of_full_cells(data: bytes) -> tuple[set[bytes], set[bytes]]:
    letters: set[bytes] = set()
    numbers: set[bytes] = set()
    for found in _FULL_CELL.finditer(data):
        letters.add(found[1])
        numbers.add(found[2])
    return letters, numbers


def _too_many() -> LayoutError:
    return LayoutError(Problem("file.too_many_marks", params={"limit": MARKS_AT_MOST}))


def _mark_errors(data: bytes, marks: Marks) -> None:
    at = data.find(b' t="e"')
    for _ in range(MARKS_AT_MOST):
        if at < 0:
            return
        start = data.rfind(_PLAIN_CELL, max(0, at - 200), at)
        found = _ERROR.match(data, start) if start >= 0 else None
        if found:
            marks.errors[_place(found)] = found[3].decode("utf-8", "replace")
        at = data.find(b' t="e"', at + 1)
    raise _too_many()


def _mark_uncalculated(data: bytes, marks: Marks) -> None:
    for count, formula in enumerate(_NO_RESULT.finditer(data)):
        if count == MARKS_AT_MOST:
            raise _too_many()
        start = data.rfind(_PLAIN_CELL, max(0, formula.start() - 200), formula.start())
        cell = _PLAIN_TAG.match(data, start) if start >= 0 else None
        # a text result that is empty is a result: =IF(A1="";"";…)
        if cell and b't="str"' not in cell[3] and b't="e"' not in cell[3]:
            marks.uncalculated.add(_place(cell))


def _mark_hidden(data: bytes, marks: Marks, columns: int) -> None:
    for row in _ROW.finditer(data):
        if _HIDDEN.search(row[0]) and (number := _row_number(data, row)):
            marks.hidden_rows.add(number - 1)
    for column in islice(_COLUMNS.finditer(data[: data.find(b"<sheetData")]), COLUMN_TAGS_AT_MOST):
        first, last = _MIN.search(column[0]), _MAX.search(column[0])
        if first and last and _HIDDEN.search(column[0]):
            marks.hidden_columns.update(range(int(first[1]) - 1, min(int(last[1]), columns)))


def _row_number(data: bytes, row: re.Match[bytes]) -> int | None:
    # a row may leave its number to its first cell
    found = _ROW_NUMBER.search(row[0])
    if found:
        return int(found[1])
    cell = _PLAIN_TAG.match(data, row.end())
    return int(cell[2]) if cell else None


def _place(found: re.Match[bytes]) -> Place:
    return int(found[2]) - 1, column_index(found[1].decode())


def _parsed(data: bytes, columns: int) -> Marks:
    if len(data) > SLOW_BYTES_AT_MOST:
        raise LayoutError(Problem("file.unusual"))
    reader = _SlowScan(columns)
    try:
        reader.parse(data)
    except expat.ExpatError as error:
        raise LayoutError(Problem("file.damaged")) from error
    return reader.marks


class _SlowScan:
    """The same marks from an XML parser, for sheets with prefixed markup or cells without addresses."""

    def __init__(self, columns: int) -> None:
        self.marks = Marks()
        self._columns = columns
        self._rows: set[int] = set()
        self._row = -1
        self._column = -1
        self._type = ""
        self._text = ""
        self._has_formula = False
        self._value: str | None = None

    def parse(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._hear
        parser.Parse(data, True)  # noqa: FBT003 - expat's own signature
        self.marks.row_count = len(self._rows)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self._text = ""
        if local == "row":
            self._row = int(attributes["r"]) - 1 if attributes.get("r", "").isdecimal() else self._row + 1
            self._column = -1
            if attributes.get("hidden") in ("1", "true"):
                self.marks.hidden_rows.add(self._row)
        elif local == "c":
            self._start_cell(attributes)
        elif local == "f":
            self._has_formula = True
        elif local == "col" and attributes.get("hidden") in ("1", "true"):
            first, last = int(attributes.get("min", "1")), int(attributes.get("max", "1"))
            self.marks.hidden_columns.update(range(first - 1, min(last, self._columns)))

    def _start_cell(self, attributes: dict[str, str]) -> None:
        found = re.fullmatch(r"([A-Z]{1,3})(\d{1,7})", attributes.get("r", ""))
        if found:
            self._column, self._row = column_index(found[1]), int(found[2]) - 1
        else:
            self._column += 1
        self._type = attributes.get("t", "")
        self._has_formula = False
        self._value = None

    def _hear(self, text: str) -> None:
        if len(self._text) < 100:
            self._text += text

    def _end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local in ("v", "t"):
            self._value = (self._value or "") + self._text
        elif local == "c":
            self._end_cell()
        self._text = ""

    def _end_cell(self) -> None:
        place = self._row, self._column
        if not (self._value or self._has_formula):
            return
        self._rows.add(self._row)
        self.marks.height = max(self.marks.height, self._row + 1)
        self.marks.width = max(self.marks.width, self._column + 1)
        if self._type == "e":
            self.marks.errors[place] = self._value or "?"
        elif self._has_formula and not self._value and self._type != "str":
            self.marks.uncalculated.add(place)
        if len(self.marks.errors) + len(self.marks.uncalculated) > MARKS_AT_MOST:
            raise _too_many()
