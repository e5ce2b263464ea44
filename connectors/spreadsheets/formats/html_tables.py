"""HTML tables that web systems save with a workbook's name: each table is a sheet, each cell a text."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final

from connectors.spreadsheets.formats.delimited import encoding_of
from connectors.spreadsheets.formats.sheet_metadata import SheetMetadata
from connectors.spreadsheets.formats.sheets import Limits, Workbook
from connectors.spreadsheets.formats.values import MarkedSheet, keep_limits
from domain.problems import InputError, Problem

TABLES_AT_MOST: Final = 100
SPAN_AT_MOST: Final = 1_000
_NOT_SHOWN: Final = re.compile(
    r"\b(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}(?:hidden|collapse)|mso-hide\s{0,3}:\s{0,3}all)",
    re.IGNORECASE,
)
_STROKES: Final = frozenset({"s", "strike", "del"})
_CELLS: Final = frozenset({"td", "th"})
_BREAKS: Final = frozenset({"br", "p", "div", "li"})
_UNSEEN: Final = frozenset({"script", "style", "title"})


class TableCells:
    """The texts of one table as a `CellSource`."""

    def __init__(self, rows: list[list[str | None]]) -> None:
        self._width = max(map(len, rows), default=0)
        self._rows = rows

    def extent(self) -> tuple[int, int]:
        return len(self._rows), self._width

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        for index, row in enumerate(self._rows):
            yield index, [*row, *[None] * (self._width - len(row))]


class _Table:
    """One table during parsing: rows of texts, and the cells that a cell of an earlier row covers."""

    def __init__(self) -> None:
        self.rows: list[list[str | None]] = []
        self.marks = SheetMetadata()
        self._reach: dict[int, int] = {}

    def begin_row(self, *, is_hidden: bool = False) -> None:
        if is_hidden:
            self.marks.hidden_rows.add(len(self.rows))
        self.rows.append([])

    def add(self, text: str | None, *, wide: int, high: int, strokes: set[bool]) -> None:
        """Add a cell over `wide` columns and `high` rows. `strokes`: for its words, whether they are struck through."""
        if not self.rows:
            self.begin_row()
        at, row = len(self.rows) - 1, self.rows[-1]
        self._skip_covered(at)
        if True in strokes and text:
            places = self.marks.part_struck if False in strokes else self.marks.struck
            places.add((at, len(row)))
        for column in range(len(row), len(row) + wide):
            if high > 1:
                self._reach[column] = at + high - 1
        row.extend([text, *[None] * (wide - 1)])

    def end(self) -> None:
        for at in range(len(self.rows)):
            while self.rows[at] and self.rows[at][-1] is None:
                self.rows[at].pop()
        self.marks.height = len(self.rows)
        self.marks.width = max(map(len, self.rows), default=0)
        self.marks.row_count = sum(bool(row) for row in self.rows)

    def _skip_covered(self, at: int) -> None:
        """Skip the cells of the row at index `at` that cells of rows above cover."""
        row = self.rows[at]
        while self._reach.get(len(row), -1) >= at:
            self.marks.covered.add((at, len(row)))
            row.append(None)


class _Reader(HTMLParser):
    """Collect the tables of a file; a nested table is a separate one. Raises `InputError` beyond the limits."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[_Table] = []
        self._limits = limits
        self._open: list[_Table] = []
        self._text: list[str] | None = None
        self._spans = (1, 1)
        self._unseen = self._count = 0
        self._is_struck = False
        self._strokes_open = 0
        self._strokes: set[bool] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._begin_table()
        elif tag == "tr" and self._open:
            self._end_cell()
            self._open[-1].begin_row(is_hidden=_is_hidden(attrs))
        elif tag in _CELLS and self._open:
            self._end_cell()
            attributes = dict(attrs)
            self._text, self._spans = [], (_span(attributes.get("colspan")), _span(attributes.get("rowspan")))
            self._is_struck = "line-through" in (attributes.get("style") or "")
            self._strokes_open, self._strokes = 0, set()
        elif tag in _UNSEEN:
            self._unseen += 1
        elif tag in _STROKES:
            self._strokes_open += 1
        elif tag in _BREAKS and self._text:
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _CELLS or tag == "tr":
            self._end_cell()
        elif tag == "table" and self._open:
            self._end_cell()
            self._open.pop().end()
        elif tag in _STROKES:
            self._strokes_open = max(0, self._strokes_open - 1)
        elif tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)

    def handle_data(self, data: str) -> None:
        if self._text is not None and not self._unseen:
            self._text.append(data)
            if data.strip():
                self._strokes.add(self._is_struck or self._strokes_open > 0)

    def finish(self) -> None:
        """Close everything that the file left open."""
        self.close()
        self._end_cell()
        while self._open:
            self._open.pop().end()

    def _begin_table(self) -> None:
        self._end_cell()
        if len(self.tables) >= TABLES_AT_MOST:
            raise InputError(Problem("file.too_many_sheets", params={"limit": TABLES_AT_MOST}))
        self._open.append(_Table())
        self.tables.append(self._open[-1])

    def _end_cell(self) -> None:
        if self._text is None or not self._open:
            self._text = None
            return
        text = "".join(self._text).strip()
        wide, high = self._spans
        self._text = None
        self._count += wide
        if self._count > self._limits.cells:
            raise InputError(Problem("file.too_many_cells", params={"limit": self._limits.cells}))
        self._open[-1].add(text or None, wide=wide, high=high, strokes=self._strokes)


def open_html(content: bytes, limits: Limits) -> Workbook:
    """Open the tables of an HTML file as sheets. Raises `InputError` without tables, or beyond the limits."""
    reader = _Reader(limits)
    encoding = encoding_of(content)
    reader.feed(content.decode(encoding))
    reader.finish()
    tables = [table for table in reader.tables if table.marks.row_count]
    if not tables:
        raise InputError(Problem("file.unsupported", params={"found": "HTML"}))
    keep_limits([table.marks for table in tables], limits)
    names = (f"Tabela {number}" for number in range(1, len(tables) + 1))
    return Workbook(
        kind="html",
        sheets=tuple(
            MarkedSheet(TableCells(table.rows), name, table.marks) for name, table in zip(names, tables, strict=True)
        ),
        facts={"encoding": encoding},
    )


def _is_hidden(attrs: list[tuple[str, str | None]]) -> bool:
    """Return whether a browser does not show the element."""
    attributes = dict(attrs)
    return "hidden" in attributes or _NOT_SHOWN.search(attributes.get("style") or "") is not None


def _span(text: str | None) -> int:
    return min(max(int(text), 1), SPAN_AT_MOST) if text is not None and text.strip().isdecimal() else 1
