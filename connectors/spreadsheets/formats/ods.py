"""Read ODS: calamine for the values, an XML parser for `SheetMetadata` and for the limits.

A few bytes of ODS can mean a million rows (`number-rows-repeated`), and calamine reads all sheets as soon as it opens a
file. So count everything first.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from connectors.spreadsheets.formats.fills import WHITE, is_vivid
from connectors.spreadsheets.formats.links import SHEETS_AT_MOST, check_root
from connectors.spreadsheets.formats.package import XML_FAILURES, Package
from connectors.spreadsheets.formats.sheet_metadata import (
    FEWEST_PLACES,
    FEWEST_ZEROS,
    FOREIGN,
    MARKS_AT_MOST,
    MOST_ZEROS,
    MULTIPLIED,
    OUR_AUTHOR,
    PERCENT,
    ROUNDED,
    CellPosition,
    SheetMetadata,
    multiplies,
    too_many_marks,
)
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from connectors.spreadsheets.formats.values import (
    CalamineBook,
    CalamineCells,
    MarkedSheet,
    keep_limits,
    too_many_rows,
    too_much_text,
)
from domain.problems import InputError, Problem

TAGS_AT_MOST: Final = 3_000_000
"""Enough for some 750,000 filled cells: a parser with a callback for each tag is slow."""
_CELLS_AT_MOST: Final = TAGS_AT_MOST // 4  # each cell and the text in it has a start and an end tag

_CONTENT: Final = "content.xml"
_MANIFEST: Final = "META-INF/manifest.xml"
_ROWS_OF_A_SHEET: Final = 1_048_576
_COLUMNS_OF_A_SHEET: Final = 16_384
_OF_A_TABLE: Final = frozenset({"table", "table-row", "table-cell", "covered-table-cell"})
_NOTES: Final = frozenset({"annotation", "tracked-changes", "shapes", "forms"})
_LOOKS: Final = frozenset({"style", "text-properties", "table-row-properties", "table-cell-properties", "span"})
_MEANT: Final = _OF_A_TABLE | _NOTES | _LOOKS | {"table-column"}
_UNSAID: Final = frozenset({"date", "date-string"})
_OUR_CURRENCY: Final = "BRL"
_GROUP: Final = 3
_NUMBER: Final = re.compile(r"[0-9]{1,8}")
_LENGTH: Final = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,10})?)(pt|cm|mm|in)")
_COLOUR: Final = re.compile(r"[0-9A-F]{6}")
_POINTS: Final = {"pt": 1.0, "cm": 28.35, "mm": 2.835, "in": 72.0}
_LOWEST: Final = 2
"""A row of less height, in points, shows nothing."""
_ROW_END: Final = b"</table:table-row>"
_ROW_OR_TABLE_END: Final = re.compile(rb"</table:table(?:-row)?>")
_TYPED: Final = b' office:value-type="'
_VALUES: Final = "office:"
"""Prefix of the attributes with a value, which calamine reads even if its type is missing."""
_TEXT_KEPT: Final = 100
_NOTE_KEPT: Final = 2_000


def open_ods(content: bytes, limits: Limits) -> Workbook:
    """Return the visible sheets of an ODS file.

    Raises `InputError` for a damaged, protected, unsafe or too large file.
    """
    package = Package(content, unpacked_bytes=limits.unpacked_bytes)
    check_root(package, _CONTENT)
    if _MANIFEST in package and b"encryption-data" in package.read(_MANIFEST):
        raise InputError(Problem("file.password"))
    data = package.read(_CONTENT)
    _refuse_many_rows(data, limits)
    if data.count(b"<") > TAGS_AT_MOST:
        raise InputError(Problem("file.too_many_cells", params={"limit": min(limits.cells, _CELLS_AT_MOST)}))
    scan = _Scan(limits)
    try:
        scan.parse(data)
    except XML_FAILURES as error:
        raise InputError(Problem("file.damaged")) from error
    del data
    keep_limits([table.marks for table in scan.tables], limits)
    scan.mark()
    book = CalamineBook(content, "ods")
    if [name for name, _ in book.sheets] != [table.name for table in scan.tables]:
        raise InputError(Problem("file.unusual"))
    return Workbook(
        kind="ods",
        sheets=tuple(
            MarkedSheet(CalamineCells(book, number, name), name, scan.tables[number].marks)
            for number, (name, is_visible) in enumerate(book.sheets)
            if is_visible
        ),
        hidden_sheets=tuple(name for name, is_visible in book.sheets if not is_visible),
        facts={"dates_from": "1900"},
    )


def _refuse_many_rows(data: bytes, limits: Limits) -> None:
    """Raise `InputError` for too many rows; a byte search saves the seconds that the parser would take."""
    if data.count(_ROW_END) <= limits.rows:
        return
    count = start = 0
    for end in _ROW_OR_TABLE_END.finditer(data):
        if end[0] != _ROW_END:
            count = 0
        elif data.find(_TYPED, start, end.start()) >= 0:
            count += 1
            if count > limits.rows:
                raise too_many_rows(limits)
        start = end.end()


@dataclass(slots=True)
class _Table:
    name: str
    marks: SheetMetadata = field(default_factory=SheetMetadata)
    shown: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)


class _Scan:
    """One pass over the content of all sheets."""

    def __init__(self, limits: Limits) -> None:
        self.tables: list[_Table] = []
        self._limits = limits
        self._is_within = False
        self._aside = 0
        self._row, self._rows_alike, self._is_hidden, self._has_content = 0, 1, False, False
        self._column, self._columns_alike, self._column_of_sheet = 0, 1, 0
        self._cell: Mapping[str, str] = {}
        self._text, self._length = "", 0
        self._cells = self._characters = 0
        self._style, self._struck_styles, self._low_styles = "", set[str](), set[str]()
        self._fills: dict[str, str] = {}
        self._inks: dict[str, str] = {}
        self._spans: list[bool] = []
        self._strokes = set[bool]()
        self._note: list[str] | None = None
        self._note_part, self._author = "", ""

    def parse(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take_text
        parser.Parse(data, True)  # noqa: FBT003 - expat's own signature

    def mark(self) -> None:
        """Add formats and merges to each sheet's metadata; the caller has checked the extents."""
        for table in self.tables:
            for row, rows_alike, column, columns_alike, kind in table.shown:
                for right in range(column, column + columns_alike):
                    for down in range(row, row + rows_alike):
                        table.marks.mark_format(down, right, kind)
            for merge in table.merges:
                table.marks.cover(*merge)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = _local(name)
        if not self._aside and local not in _MEANT:
            return
        if self._aside or local in _NOTES:
            # a comment's text is no part of the cell
            self._aside += 1
            self._note_part = local
            if local == "annotation":
                self._note, self._author = [], ""
            if local in _OF_A_TABLE:
                # calamine would read it as a part of the sheet
                raise InputError(Problem("file.unusual"))
        elif local in ("table-cell", "covered-table-cell"):
            self._cell, self._text, self._length = attributes, "", 0
            self._spans, self._strokes = [], {True} if self._is_style_struck(attributes, "table") else set()
            self._columns_alike = _whole(attributes, "table:number-columns-repeated")
        elif local == "table-row":
            self._rows_alike = _whole(attributes, "table:number-rows-repeated")
            is_shown = attributes.get("table:visibility", "visible") == "visible"
            self._is_hidden = not is_shown or attributes.get("table:style-name") in self._low_styles
            self._column, self._has_content = 0, False
        elif local == "table-column":
            self._take_column(attributes)
        elif local in _LOOKS:
            self._take_look(local, attributes)
        elif local == "table":
            self._start_table(attributes)

    def _start_table(self, attributes: dict[str, str]) -> None:
        if self._is_within:
            # calamine would read its rows as rows of the outer table
            raise InputError(Problem("file.unusual"))
        self._is_within = True
        self._row = self._column_of_sheet = 0
        self.tables.append(_Table(attributes.get("table:name", "")))
        if len(self.tables) > SHEETS_AT_MOST:
            raise InputError(Problem("file.too_many_sheets", params={"limit": SHEETS_AT_MOST}))

    def _take_column(self, attributes: dict[str, str]) -> None:
        alike = _whole(attributes, "table:number-columns-repeated")
        if self.tables and attributes.get("table:visibility", "visible") != "visible":
            last = min(self._column_of_sheet + alike, self._limits.columns)
            self.tables[-1].marks.hidden_columns.update(range(self._column_of_sheet, last))
        self._column_of_sheet += alike

    def _take_look(self, local: str, attributes: dict[str, str]) -> None:
        """Record a style that strikes text through, colours cells or makes rows too low to be seen; open a span."""
        if local == "style":
            self._style = attributes.get("style:name", "")
        elif local == "span":
            self._spans.append(self._is_style_struck(attributes, "text"))
        elif local == "table-cell-properties":
            colour = attributes.get("fo:background-color", "")[1:].upper()
            if _COLOUR.fullmatch(colour) and colour != WHITE:
                self._fills[self._style] = colour
        elif local == "table-row-properties":
            if _is_low(attributes.get("style:row-height", "")):
                self._low_styles.add(self._style)
        else:
            colour = attributes.get("fo:color", "")[1:].upper()
            if _COLOUR.fullmatch(colour) and is_vivid(colour):
                self._inks[self._style] = colour
            if attributes.get("style:text-line-through-style", "none") != "none":
                self._struck_styles.add(self._style)

    def _take_text(self, text: str) -> None:
        if self._aside and self._note is not None:
            self._take_comment(text)
        if not self._aside:
            self._length += len(text)
            if len(self._text) < _TEXT_KEPT:
                self._text += text
            if text.strip():
                self._strokes.add(any(self._spans) or self._is_style_struck(self._cell, "table"))

    def _is_style_struck(self, attributes: Mapping[str, str], family: str) -> bool:
        return attributes.get(f"{family}:style-name") in self._struck_styles

    def _take_comment(self, text: str) -> None:
        if self._note_part == "creator":
            self._author += text[:_TEXT_KEPT]
        elif self._note is not None and self._note_part not in _UNSAID and len(self._note) < _TEXT_KEPT:
            self._note.append(text)

    def _take_note(self) -> None:
        """Store a person's comment on the open cell; skip our own comments."""
        text, self._note = " ".join(self._note or ()).strip(), None
        if self.tables and text and self._author != OUR_AUTHOR:
            comments = self.tables[-1].marks.comments
            if len(comments) < MARKS_AT_MOST:
                comments[self._row, self._column] = text[:_NOTE_KEPT]

    def _end(self, name: str) -> None:
        if self._aside:
            self._aside -= 1
            if self._note is not None and _local(name) == "annotation":
                self._take_note()
            return
        local = _local(name)
        if local == "span" and self._spans:
            self._spans.pop()
        if local not in _OF_A_TABLE:
            return
        if local in ("table-cell", "covered-table-cell"):
            if self.tables:
                self._take_cell(self.tables[-1])
            self._column += self._columns_alike
        elif local == "table-row" and self.tables:
            self._take_row(self.tables[-1].marks)
        elif local == "table":
            self._is_within = False

    def _take_row(self, marks: SheetMetadata) -> None:
        if self._row >= _ROWS_OF_A_SHEET:
            raise InputError(Problem("file.damaged"))
        if self._has_content:
            marks.row_count += self._rows_alike
            marks.height = max(marks.height, self._row + self._rows_alike)
            keep_limits([marks], self._limits)
            if self._is_hidden:
                marks.hidden_rows.update(range(self._row, self._row + self._rows_alike))
        self._row += self._rows_alike

    def _take_cell(self, table: _Table) -> None:
        if self._column >= _COLUMNS_OF_A_SHEET:
            raise InputError(Problem("file.damaged"))
        self._take_fill(table.marks.fills)
        kind = self._cell.get("office:value-type")
        # a formula without a value has an empty text as its result: nothing else is written like that
        if not (kind or self._length or any(name.startswith(_VALUES) for name in self._cell)):
            return
        self._has_content = True
        marks = table.marks
        marks.width = max(marks.width, self._column + self._columns_alike)
        alike = self._rows_alike * self._columns_alike
        self._cells += alike
        self._characters += alike * self._length
        if self._cells > self._limits.cells:
            raise InputError(Problem("file.too_many_cells", params={"limit": self._limits.cells}))
        if self._characters > self._limits.unpacked_bytes:
            raise too_much_text(self._limits)
        places = marks.part_struck if False in self._strokes else marks.struck
        if True in self._strokes and len(places) < MARKS_AT_MOST:
            places.add((self._row, self._column))
        if self._cell.get("calcext:value-type") == "error":
            self._take_errors(marks, alike)
        elif shown := self._kind_shown(kind):
            table.shown.append((self._row, self._rows_alike, self._column, self._columns_alike, shown))
        down = min(_whole(self._cell, "table:number-rows-spanned"), _ROWS_OF_A_SHEET)
        if down > 1:
            right = min(_whole(self._cell, "table:number-columns-spanned"), _COLUMNS_OF_A_SHEET)
            table.merges.append((self._row, self._row + down - 1, self._column, self._column + right - 1))
            if len(table.merges) > MARKS_AT_MOST:
                raise too_many_marks()

    def _take_fill(self, fills: dict[CellPosition, str]) -> None:
        """Store the colour of a cell, also of a blank one, which may be the sample of a legend."""
        style = self._cell.get("table:style-name", "")
        colour = self._fills.get(style) or self._inks.get(style)
        if colour is not None and self._columns_alike == self._rows_alike == 1 and len(fills) < MARKS_AT_MOST:
            fills[self._row, self._column] = colour

    def _take_errors(self, marks: SheetMetadata, alike: int) -> None:
        if len(marks.errors) + alike > MARKS_AT_MOST:
            raise too_many_marks()
        for down in range(self._row, self._row + self._rows_alike):
            for right in range(self._column, self._column + self._columns_alike):
                marks.errors[down, right] = self._text.strip() or "?"

    def _kind_shown(self, kind: str | None) -> int:
        """Return the cell's number format as in `SheetMetadata.formats`.

        The file has each number's visible text, which shows padding zeros.
        """
        if kind == "percentage":
            return PERCENT
        if kind == "currency" and self._cell.get("office:currency", _OUR_CURRENCY) != _OUR_CURRENCY:
            return FOREIGN
        text = self._text
        if kind == "float" and text[:1] == "0" and FEWEST_ZEROS <= len(text) <= MOST_ZEROS and text.isdecimal():
            return len(text)
        if kind in ("float", "currency") and multiplies(text):
            return MULTIPLIED
        is_rounded = kind in ("float", "currency") and _hides_places(self._cell.get("office:value", ""), text)
        return ROUNDED if is_rounded else 0


def _hides_places(value: str, text: str) -> bool:
    """Return whether the visible `text` shows fewer than two decimal places and `value` has more than it shows."""
    if not value.partition(".")[2].rstrip("0") or not text[-1:].isdecimal():
        return False
    _, sign, places = text.replace(",", ".").rpartition(".")
    shown = len(places) if sign and len(places) != _GROUP else 0
    return shown < FEWEST_PLACES and len(value.partition(".")[2]) > shown


def _is_low(height: str) -> bool:
    """Return whether a row of this height (`0.45cm`) is too low to show its content."""
    found = _LENGTH.fullmatch(height)
    return found is not None and float(found[1]) * _POINTS[found[2]] < _LOWEST


@functools.lru_cache(maxsize=256)
def _local(name: str) -> str:
    """Return a tag's name without its prefix."""
    return name.rpartition(":")[2]


def _whole(attributes: Mapping[str, str], name: str) -> int:
    """Return a repetition count. Raises `InputError` for one that this scan and calamine might read differently."""
    text = attributes.get(name)
    if text is None:
        return 1
    if not _NUMBER.fullmatch(text):
        raise InputError(Problem("file.damaged"))
    return max(1, int(text))
