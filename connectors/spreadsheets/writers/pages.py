"""Write a page of texts, numbers and lists as a workbook."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeAlias

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from connectors.spreadsheets.writers.safe_files import on_paper, open_book, write_atomically
from connectors.spreadsheets.writers.styles import COUNT, MONEY, RULE, Styles
from domain.money import format_brl


class Cents(int):
    """An amount in cents, shown as money.

    A plain number, because a month's list has hundreds of thousands, which the garbage collector need not visit.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return format_brl(int(self))


Cell: TypeAlias = str | int | Cents | None


@dataclass(frozen=True, slots=True)
class Section:
    """A titled list; `note` is below the title. A list without rows is not shown."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""

    def is_figures(self, column: int) -> bool:
        """Return whether a column has amounts or counts, which are aligned right."""
        filled = [row[column] for row in self.rows if row[column] is not None]
        return bool(filled) and all(isinstance(cell, int) for cell in filled)


@dataclass(frozen=True, slots=True)
class Page:
    """A page. The texts `lines` come first, the texts `alarms` are highlighted.

    `sections` are short tables on the first sheet, `lists` may be long and have sheets of their own.
    """

    title: str
    lines: tuple[str, ...]
    alarms: tuple[str, ...]
    sections: tuple[Section, ...]
    lists: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class LineColumn:
    """A column of a long list: its heading, and whether it holds amounts in cents."""

    heading: str
    is_money: bool = False
    width: float = 16


LINES_A_SHEET: Final = 1_048_575
"""The most lines below the headings of one XLSX sheet."""
_WIDEST: Final = 56
_NARROWEST: Final = 11
_LINE_HEIGHT: Final = 14
_FEWEST_COLUMNS, _FEWEST_LETTERS = 2, 90
_UNSAID_WIDTH: Final = 8.43
"""The width of a column without an explicit width."""
_FILLED: Final = 1.0
"""Letters per unit of column width, for breaking lines: bold letters are wide, most others narrow."""
_LABEL_LIMIT: Final = 31
_CUT: Final = "…"
_FIRST_COLUMN: Final = 0


class LinesBook:
    """A workbook of a page and of very many lines, which are written as they come and never held in memory.

    The page comes first in the book and is written last, when the lines have been counted.
    """

    def __init__(self, path: Path, title: str, *, label: str, columns: Sequence[LineColumn], made_at: datetime) -> None:
        self._book = open_book(path, title, made_at=made_at)
        self._styles = Styles(self._book)
        self._front = self._book.add_worksheet(_label(self._book, title.split(" ", 1)[0]))
        self._label_text, self._columns = label, columns
        self._sheet = self._begin()
        self._at = 0

    def add(self, rows: Iterable[Sequence[str | int | None]]) -> None:
        """Write lines. Money is in cents; None leaves a cell empty."""
        money, text = self._styles.of(num_format=MONEY), self._styles.of(num_format="@")
        for row in rows:
            if self._at == LINES_A_SHEET:
                self._sheet, self._at = self._begin(), 0
            self._at += 1
            for column, value in enumerate(row):
                if isinstance(value, str):
                    self._sheet.write_string(self._at, column, value, text)
                elif value is not None:
                    shown = value / 100 if self._columns[column].is_money else value
                    self._sheet.write_number(self._at, column, shown, money if self._columns[column].is_money else None)

    def close(self, page: Page) -> None:
        """Write the page and its lists, and end the file."""
        _fill_front(self._front, self._styles, page)
        for section in page.lists:
            _write_list(self._book, self._styles, section)
        self._book.close()

    def _begin(self) -> Worksheet:
        sheet = self._book.add_worksheet(_label(self._book, self._label_text))
        for column, each in enumerate(self._columns):
            sheet.set_column(column, column, each.width)
            sheet.write_string(
                0, column, each.heading, self._styles.header_right if each.is_money else self._styles.header_indented
            )
        sheet.freeze_panes(1, 0)
        on_paper(sheet)
        sheet.repeat_rows(0)
        return sheet


def write_page(path: Path, page: Page, *, made_at: datetime, rows_a_sheet: int = 1_000_000) -> None:
    """Write the page to `path` (XLSX), completely or not at all: sections on the first sheet, each list on its own.

    A list with more rows than a sheet may have continues on another sheet.
    """

    def fill(partial: Path) -> None:
        book = open_book(partial, page.title, made_at=made_at)
        styles = Styles(book)
        _fill_front(book.add_worksheet(_label(book, page.title.split(" ", 1)[0])), styles, page)
        for section in page.lists:
            for start in range(0, len(section.rows), rows_a_sheet):
                part = section.rows[start : start + rows_a_sheet]
                _write_list(book, styles, replace(section, rows=part))
        book.close()

    write_atomically(path, fill)


def _fill_front(sheet: Worksheet, styles: Styles, page: Page) -> None:
    sheet.hide_gridlines(2)
    shown = [section for section in page.sections if section.rows]
    widths = _widths([(section.headings, section.rows) for section in shown])
    for column, width in enumerate(widths):
        sheet.set_column(column, column, width)
    sheet.write_string(0, _FIRST_COLUMN, page.title, styles.title)
    sheet.set_row(0, 30)
    at = 2
    for text in page.lines:
        _write_line(sheet, at, text, styles.of(font_size=11, text_wrap=True), widths)
        at += 1
    alarming = styles.of(font_color="#80560B", bold=True, text_wrap=True)
    for text in page.alarms:
        _write_line(sheet, at, f"▲ {text}", alarming, widths)
        at += 1
    for section in shown:
        at = _write_section(sheet, styles, section, at + 1)
    on_paper(sheet)


def _write_line(sheet: Worksheet, at: int, text: str, look: Format, widths: Sequence[float]) -> None:
    """Write a text over all columns with sufficient height: a wider column would shrink everything on paper."""
    columns, letters = len(widths), sum(widths)
    while columns < _FEWEST_COLUMNS or letters < _FEWEST_LETTERS:
        columns, letters = columns + 1, letters + _UNSAID_WIDTH
    sheet.merge_range(at, _FIRST_COLUMN, at, columns - 1, "", look)
    sheet.write_string(at, _FIRST_COLUMN, text, look)
    sheet.set_row(at, _LINE_HEIGHT * -(-len(text) // int(letters * _FILLED)))


def _write_section(sheet: Worksheet, styles: Styles, section: Section, at: int) -> int:
    """Write a section from row `at` on. Return the row after it."""
    for column in range(len(section.headings)):
        sheet.write_blank(at, column, None, styles.section)
    sheet.write_string(at, _FIRST_COLUMN, section.title, styles.section)
    at += 1
    if section.note:
        sheet.write_string(at, _FIRST_COLUMN, section.note, styles.muted)
        at += 1
    _write_headings(sheet, styles, section, at)
    looks = _looks(styles)
    for offset, row in enumerate(section.rows, 1):
        _write_row(sheet, looks, at + offset, row)
    return at + len(section.rows) + 1


def _write_list(book: xlsxwriter.Workbook, styles: Styles, section: Section) -> None:
    sheet = book.add_worksheet(_label(book, section.title))
    for column, width in enumerate(_widths([(section.headings, section.rows)])):
        sheet.set_column(column, column, width)
    top = 0
    if len(section.title) > _LABEL_LIMIT:
        # The title is longer than a sheet name may be, so the page repeats it.
        sheet.write_string(0, _FIRST_COLUMN, section.title, styles.section)
        top = 1
    _write_headings(sheet, styles, section, top)
    looks = replace(_looks(styles), empty=None)
    for at, row in enumerate(section.rows, top + 1):
        _write_row(sheet, looks, at, row)
    # an empty cell is not written, and has no rule below it
    sheet.hide_gridlines(0)
    sheet.freeze_panes(top + 1, 0)
    sheet.autofilter(top, 0, top + len(section.rows), len(section.headings) - 1)
    on_paper(sheet)
    sheet.repeat_rows(0, top)


def _write_headings(sheet: Worksheet, styles: Styles, section: Section, at: int) -> None:
    for column, heading in enumerate(section.headings):
        sheet.write_string(at, column, heading, _header(styles, section, column))


def _header(styles: Styles, section: Section, column: int) -> Format:
    return styles.header_right if section.is_figures(column) else styles.header_indented


@dataclass(frozen=True, slots=True)
class _Looks:
    """The formats of a table's cells by kind, found once for all cells. `empty` None: do not write empty cells."""

    money: Format
    count: Format
    text: Format
    empty: Format | None


def _looks(styles: Styles) -> _Looks:
    def ruled(**properties: Any) -> Format:
        return styles.of(bottom=1, bottom_color=RULE, **properties)

    return _Looks(
        ruled(num_format=MONEY),
        ruled(num_format=COUNT),
        ruled(num_format="@", indent=1, text_wrap=True),
        ruled(),
    )


def _write_row(sheet: Worksheet, looks: _Looks, at: int, row: tuple[Cell, ...]) -> None:
    longest = max([len(cell) for cell in row if type(cell) is str], default=0)
    if longest > _WIDEST:
        sheet.set_row(at, _LINE_HEIGHT * -(-longest // _WIDEST))
    for column, cell in enumerate(row):
        if isinstance(cell, Cents):
            sheet.write_number(at, column, cell / 100, looks.money)
        elif isinstance(cell, int):
            sheet.write_number(at, column, cell, looks.count)
        elif cell:
            sheet.write_string(at, column, cell, looks.text)
        elif looks.empty is not None:
            sheet.write_blank(at, column, None, looks.empty)


def _widths(tables: Sequence[tuple[Sequence[str], Sequence[tuple[Cell, ...]]]]) -> list[float]:
    columns: list[float] = []
    for headings, rows in tables:
        for column, heading in enumerate(headings):
            longest = _longest([row[column] for row in rows])
            wanted = min(_WIDEST, max(_NARROWEST, len(heading) * 1.15, longest * 1.05) + 2)
            if column == len(columns):
                columns.append(wanted)
            else:
                columns[column] = max(columns[column], wanted)
    return columns


def _longest(cells: Sequence[Cell]) -> int:
    """Return the length of the longest cell as shown."""
    # writing every amount of a large list as text would take longer than writing its cells
    amounts = [cell for cell in cells if isinstance(cell, Cents)]
    edges = [min(amounts), max(amounts)] if amounts else []
    others = (cell or "" for cell in cells if not isinstance(cell, Cents))
    return max((len(str(cell)) for cell in (*edges, *others)), default=0)


def _label(book: xlsxwriter.Workbook, text: str) -> str:
    """Return a valid sheet name: without forbidden characters, short enough, and unique in any letter case.

    The caller writes a longer text on the sheet itself.
    """
    plain = "".join(char for char in text if char not in "[]:*?/\\'") or "-"
    taken = {sheet.get_name().lower() for sheet in book.worksheets()}
    labels = chain([_shortened(plain, _LABEL_LIMIT)], (_numbered(plain, place) for place in count(2)))
    return next(label for label in labels if label.lower() not in taken)


def _numbered(text: str, place: int) -> str:
    ending = f" ({place})"
    return _shortened(text, _LABEL_LIMIT - len(ending)) + ending


def _shortened(text: str, limit: int) -> str:
    """Return a text of at most this length, cut after a whole word, with a sign of the cut."""
    if len(text) <= limit:
        return text
    words, _, _ = text[:limit].rpartition(" ")
    return f"{(words or text)[: limit - len(_CUT)]}{_CUT}"
