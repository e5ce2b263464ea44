"""Find the marks of an XLSX sheet with an XML parser: for prefixed markup and cells without addresses."""

import re
from collections.abc import Mapping
from typing import Final
from xml.parsers import expat

from connectors.spreadsheets.formats.package import XML_FAILURES
from connectors.spreadsheets.formats.sheet_metadata import MARKS_AT_MOST, SheetMetadata, column_index, too_many_marks
from domain.problems import InputError, Problem

SLOW_BYTES_AT_MOST: Final = 12_000_000
_ADDRESS: Final = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_ROW_NUMBER: Final = re.compile(r"[0-9]{1,7}")
_RANGE: Final = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")
_AREA: Final = re.compile(r"[A-Z]{1,3}[0-9]{1,7}(?::[A-Z]{1,3}[0-9]{1,7})?")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_TOO_LOW: Final = re.compile(r"[01](?:\.[0-9]{0,20})?")
_TOO_NARROW: Final = re.compile(r"0(?:\.[0-9]{0,20})?")


def parsed(data: bytes, *, columns: int, cells: int, formats: Mapping[int, int]) -> SheetMetadata:
    """Return the marks of one sheet. `formats` maps the index of a cell style to its number format.

    Skip formats and merges of a sheet that spans more than `cells` cells, because the caller refuses it. Raises
    `InputError` for a large or broken sheet.
    """
    if len(data) > SLOW_BYTES_AT_MOST:
        raise InputError(Problem("file.unusual"))
    reader = _SlowScan(columns, cells, formats)
    try:
        reader.parse(data)
    except XML_FAILURES as error:
        raise InputError(Problem("file.damaged")) from error
    return reader.marks


class _SlowScan:
    """Collect the same marks as `sheet_xml.scan`, by callbacks of an XML parser."""

    def __init__(self, columns: int, cells: int, formats: Mapping[int, int]) -> None:
        self.marks = SheetMetadata()
        self._formats = formats
        self._shown: list[tuple[int, int, int]] = []
        self._merges: list[tuple[int, int, int, int]] = []
        self._columns, self._cells = columns, cells
        self._rows: set[int] = set()
        self._numbered: set[int] = set()
        self._row = -1
        self._counted = -1
        self._is_astray = False
        self._is_hidden = False
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
        parser.CharacterDataHandler = self._take_text
        parser.Parse(data, True)  # noqa: FBT003 - expat's own signature
        self.marks.row_count = len(self._rows)
        if self.marks.height * self.marks.width > self._cells:
            return
        for row, column, kind in self._shown:
            self.marks.mark_format(row, column, kind)
        for first_row, last_row, first_column, last_column in self._merges:
            self.marks.cover(first_row, last_row, first_column, last_column)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self._text = ""
        if local == "row":
            self._start_row(attributes)
        elif local == "c":
            self._start_cell(attributes)
        elif local == "f":
            self._has_formula = True
        elif local in ("v", "is"):
            # calamine reserves memory for this cell, even an empty one, and for all cells before it
            self._reach()
        elif local == "col" and _is_hidden(attributes, "width", _TOO_NARROW):
            first, last = _whole(attributes.get("min"), 1), _whole(attributes.get("max"), 1)
            self.marks.hidden_columns.update(range(first - 1, min(last, self._columns)))
        elif local in ("mergeCell", "dimension") and not _AREA.fullmatch(attributes.get("ref", "A1")):
            raise InputError(Problem("file.damaged"))
        elif local == "mergeCell" and (found := _RANGE.fullmatch(attributes.get("ref", ""))):
            self._merges.append((int(found[2]) - 1, int(found[4]) - 1, column_index(found[1]), column_index(found[3])))

    def _start_row(self, attributes: dict[str, str]) -> None:
        """Number rows like calamine: a row without a number follows the one before, whatever its cells' addresses."""
        self._counted = self._row = _number_of(attributes, self._counted + 2) - 1
        self._column = -1
        self._is_hidden = _is_hidden(attributes, "ht", _TOO_LOW)
        if attributes.get("r"):
            self._is_astray = False
            if self._row in self._numbered:
                # programs differ in which of two rows with one number they show
                raise InputError(Problem("file.damaged"))
            self._numbered.add(self._row)
        if attributes.get("r") and self._is_hidden:
            self.marks.hidden_rows.add(self._row)
            self._is_hidden = False

    def _start_cell(self, attributes: dict[str, str]) -> None:
        address = attributes.get("r")
        found = _ADDRESS.fullmatch(address or "")
        if address and not found:
            # calamine would put the cell at an address that we do not know
            raise InputError(Problem("file.damaged"))
        if found:
            self._column, self._row = column_index(found[1]), int(found[2]) - 1
            self._is_astray = self._is_astray or self._row != self._counted
        elif self._is_astray:
            raise InputError(Problem("file.damaged"))
        else:
            self._column += 1
        if self._is_hidden:
            # a row may have its number only in its cells
            self.marks.hidden_rows.add(self._row)
        self._type = attributes.get("t", "")
        self._has_formula = False
        self._value = None
        if kind := self._formats.get(_whole(attributes.get("s"), 0)):
            self._shown.append((self._row, self._column, kind))

    def _take_text(self, text: str) -> None:
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
        self._reach()
        if self._value and _is_misread(self._type, self._value):
            raise InputError(Problem("file.damaged"))
        if self._type == "e" and self._value:
            self.marks.errors[place] = self._value
        elif self._has_formula and not self._value and self._type != "str":
            self.marks.uncalculated.add(place)
        if len(self.marks.errors) + len(self.marks.uncalculated) > MARKS_AT_MOST:
            raise too_many_marks()

    def _reach(self) -> None:
        self.marks.height = max(self.marks.height, self._row + 1)
        self.marks.width = max(self.marks.width, self._column + 1)


def _is_misread(kind: str, value: str) -> bool:
    """Return whether calamine would read a wrong text for a bad index, or a text for a number between blanks."""
    return not _WHOLE.fullmatch(value) if kind == "s" else kind in ("", "n") and value != value.strip()


def _is_hidden(attributes: Mapping[str, str], size: str, nothing: re.Pattern[str]) -> bool:
    """Return whether a row or column is hidden, or too small to show anything."""
    return attributes.get("hidden") in ("1", "true") or nothing.fullmatch(attributes.get(size, "")) is not None


def _number_of(attributes: dict[str, str], otherwise: int) -> int:
    text = attributes.get("r")
    if text and not _ROW_NUMBER.fullmatch(text):
        raise InputError(Problem("file.damaged"))
    return int(text) if text else otherwise


def _whole(text: str | None, otherwise: int) -> int:
    """Return an attribute's number, or `otherwise` for a missing one and for any other text."""
    return int(text) if text is not None and _WHOLE.fullmatch(text) else otherwise
