"""Write a blank workbook: the page to fill in, instructions, an example of the same shape, and the lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from connectors.spreadsheets.writers.blank_columns import COLUMNS, STATES, Column, Shape
from connectors.spreadsheets.writers.safe_files import on_paper, pages_wide, write_atomically

HEADER_ROW: Final = 3
"""Counted from 0; titles are above it."""
ROWS: Final = 5_000
"""The last row with formats and lists of choices."""
_BILLED: Final = frozenset({"services", "products"})
"""Kinds whose faulty rows come back for correction; for the others, a preview shows the changes first."""
_KNOWN_BY: Final = 1
"""Index of the last column that every printed page repeats."""
_HINT_LENGTH: Final = 250
_TITLE_LENGTH: Final = 32
_INK, _SOFT, _MUTED, _RULE = "#1F2A44", "#6C7A96", "#6B7280", "#D5DAE3"
_NUMBERS: Final[Mapping[Shape, str]] = {
    "text": "@",
    "list": "@",
    "money": '[$-416]"R$" #,##0.00',
    "figure": "[$-416]#,##0.####",
    "percent": "0.00%",
    "month": "mm/yyyy",
    "day": "dd/mm/yyyy",
}
_LEADING: Final[frozenset[Shape]] = frozenset({"money", "figure", "percent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """The content of a blank workbook.

    `headers` are the usual header of each field, `lists` the choices of a field, `words` the catalogue's `blank`
    family, and `hints` the text for each field.
    """

    kind: str
    headers: Mapping[str, str]
    words: Mapping[str, str]
    hints: Mapping[str, str]
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)


def write_blank(path: Path, blank: Blank) -> None:
    """Write the workbook, completely or not at all.

    Raises `FileExistsError` for an existing file, which a person may have filled in.
    """

    def fill(partial: Path) -> None:
        book = xlsxwriter.Workbook(partial, {"strings_to_formulas": False, "strings_to_urls": False})
        book.set_properties({"title": blank.words[f"title_{blank.kind}"], "author": "Faturista"})
        _Writing(book, blank).write()
        book.close()

    path.touch(exist_ok=False)
    try:
        write_atomically(path, fill)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


class _Writing:
    def __init__(self, book: xlsxwriter.Workbook, blank: Blank) -> None:
        self._book, self._blank = book, blank
        self._columns = COLUMNS[blank.kind]
        self._made: dict[tuple[tuple[str, Any], ...], Format] = {}
        self._lists = {"state": STATES, **blank.lists}

    def write(self) -> None:
        words = self._blank.words
        page = self._book.add_worksheet(words["page"])
        help_page = self._book.add_worksheet(words["instructions"])
        example = self._book.add_worksheet(words["examples"])
        ranges = self._write_lists(self._book.add_worksheet(words["lists"]))
        self._write_page(page, ranges)
        self._write_help(help_page)
        self._write_examples(example)
        page.activate()

    def _write_page(self, page: Worksheet, ranges: Mapping[str, str]) -> None:
        words = self._blank.words
        page.write_string(0, 0, words[f"title_{self._blank.kind}"], self._of(bold=True, font_size=16))
        page.write_string(1, 0, words["legend"], self._of(font_color=_MUTED))
        self._head(page, HEADER_ROW)
        for number, column in enumerate(self._columns):
            page.set_column(number, number, column.width, self._cell(column))
            self._validate(page, number, column, ranges.get(column.field))
        page.freeze_panes(HEADER_ROW + 1, 0)
        page.hide_gridlines(1)
        self._on_paper(page, HEADER_ROW)

    def _on_paper(self, page: Worksheet, header_row: int) -> None:
        """Print the header on every page, and the columns that identify a line on each page across."""
        wide = pages_wide(sum(column.width for column in self._columns))
        on_paper(page, wide=wide)
        page.repeat_rows(header_row)
        if wide > 1:
            page.repeat_columns(0, _KNOWN_BY)

    def _head(self, page: Worksheet, row: int) -> None:
        page.set_row(row, 32)
        for number, column in enumerate(self._columns):
            ground = _INK if column.is_required else _SOFT
            look = {"bold": True, "font_color": "#FFFFFF", "bg_color": ground, "border": 1, "border_color": "#FFFFFF"}
            look |= {"text_wrap": True, **_alignment(column)}
            page.write_string(row, number, self._blank.headers[column.field], self._of(**look))

    def _validate(self, page: Worksheet, number: int, column: Column, source: str | None) -> None:
        """Give every cell its hint; a cell with choices offers them and accepts no other text."""
        options: dict[str, Any] = {
            "input_title": self._blank.headers[column.field][:_TITLE_LENGTH],
            "input_message": self._blank.hints[column.field][:_HINT_LENGTH],
            "validate": "any",
        }
        words = self._blank.words
        if source is not None:
            options |= {"validate": "list", "source": source, "error_message": words["not_in_list"]}
        elif column.shape in _LEADING:
            # a text such as R$ 1.234,56 can be read, too: warn people, do not stop them
            options |= {"validate": "decimal", "criteria": ">=", "value": 0, "error_type": "warning"}
            options |= {"error_message": words["not_a_number"]}
        elif column.shape in ("month", "day"):
            options |= {"validate": "date", "criteria": ">=", "value": date(2000, 1, 1), "error_type": "warning"}
            options |= {"error_message": words["not_a_date"]}
        page.data_validation(HEADER_ROW + 1, number, HEADER_ROW + ROWS, number, options)

    def _write_help(self, page: Worksheet) -> None:
        words = self._blank.words
        page.hide_gridlines(2)
        for number, width in enumerate((3, 30, 14, 88)):
            page.set_column(number, number, width)
        page.write_string(1, 1, words["how"], self._of(bold=True, font_size=16))
        last = "step_send" if self._blank.kind in _BILLED else "step_show"
        steps = [words[name] for name in ("step_fill", "step_lists", f"step_{self._blank.kind}", last)]
        for number, step in enumerate(steps, start=3):
            page.merge_range(number, 1, number, 3, f"{number - 2}. {step}", self._of(text_wrap=True))
            page.set_row(number, 17 * (1 + len(step) // 125))
        top = 4 + len(steps)
        head = self._of(bold=True, font_color="#FFFFFF", bg_color=_INK)
        for number, name in enumerate(("column", "required", "what"), start=1):
            page.write_string(top, number, words[name], head)
        for row, column in enumerate(self._columns, start=top + 1):
            line = {"bottom": 1, "bottom_color": _RULE}
            page.write_string(row, 1, self._blank.headers[column.field], self._of(bold=True, **line))
            is_needed = words["yes"] if column.is_required else ""
            page.write_string(row, 2, is_needed, self._of(align="center", **line))
            hint = self._blank.hints[column.field]
            page.write_string(row, 3, hint, self._of(text_wrap=True, **line))
            page.set_row(row, 16 * (1 + len(hint) // 95))
        on_paper(page)
        page.repeat_rows(top)

    def _write_examples(self, page: Worksheet) -> None:
        page.write_string(0, 0, self._blank.words["examples_note"], self._of(font_color=_MUTED, italic=True))
        self._head(page, 2)
        for number, column in enumerate(self._columns):
            page.set_column(number, number, column.width)
            for row, value in enumerate(column.examples, start=3):
                look = self._cell(column)
                if isinstance(value, date):
                    page.write_datetime(row, number, datetime(value.year, value.month, value.day), look)  # noqa: DTZ001
                elif isinstance(value, float):
                    page.write_number(row, number, value, look)
                elif value is not None:
                    page.write_string(row, number, value, look)
        page.freeze_panes(3, 0)
        self._on_paper(page, 2)

    def _write_lists(self, page: Worksheet) -> dict[str, str]:
        """Write the choices into columns of a hidden sheet. Return the range of each list, by field."""
        ranges: dict[str, str] = {}
        listed = [column for column in self._columns if self._lists.get(column.field)]
        for number, column in enumerate(listed):
            choices = self._lists[column.field]
            page.write_string(0, number, self._blank.headers[column.field])
            page.write_column(1, number, choices, self._of(num_format="@"))
            letters = xl_col_to_name(number, col_abs=True)
            ranges[column.field] = f"='{page.get_name()}'!{letters}$2:{letters}${len(choices) + 1}"
        page.hide()
        return ranges

    def _cell(self, column: Column) -> Format:
        return self._of(num_format=_NUMBERS[column.shape], **_alignment(column))

    def _of(self, **look: Any) -> Format:
        whole = {"font_name": "Calibri", "font_size": 11, "font_color": _INK, "valign": "vcenter"} | look
        key = tuple(sorted(whole.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format(whole)
        return self._made[key]


def _alignment(column: Column) -> dict[str, str | int]:
    """Return the alignment of a column and its header, with a small indent between a number and a text beside it."""
    if column.shape in ("month", "day"):
        return {"align": "center"}
    return {"align": "right" if column.shape in _LEADING else "left", "indent": 1}
