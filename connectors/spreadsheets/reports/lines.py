"""The page of lines: header, filter, sums of the visible lines, one line per record."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, Generic, TypeVar

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_col_to_name

from connectors.spreadsheets.reports.columns import LONGEST_TEXT, Column, Kind
from connectors.spreadsheets.writers.safe_files import on_paper
from connectors.spreadsheets.writers.styles import BAND, MONEY, RULE, Styles
from domain.competence import BRASILIA

R = TypeVar("R")

_SUMS, _HEADER = 0, 1
FIRST_LINE: Final = _HEADER + 1
LAST_ROW: Final = 1_048_575
_FROZEN_COLUMNS: Final = 2
_CELL: Final = {"bottom": 1, "bottom_color": RULE}
_FORMATS: Final[dict[Kind, dict[str, Any]]] = {
    "text": {"num_format": "@", "align": "left", "indent": 1},
    "money": {"num_format": MONEY},
    "instant": {"num_format": "dd/mm/yyyy hh:mm", "align": "center"},
    "day": {"num_format": "dd/mm/yyyy", "align": "center"},
    "month": {"num_format": "mm/yyyy", "align": "center"},
    "count": {"num_format": "0", "align": "center"},
}
_EPOCH: Final = date(1899, 12, 30).toordinal()
"""Day 0 of spreadsheets, from which they count every day after February 1900."""
_DAY_S: Final = 86_400


def _serial(at: datetime) -> float:
    # spreadsheets have no time zones: everything is in Brasília time
    local = at.astimezone(BRASILIA)
    return local.toordinal() - _EPOCH + (local.hour * 3_600 + local.minute * 60 + local.second) / _DAY_S


_NUMBERS: Final[dict[Kind, Callable[[Any], float]]] = {
    "money": lambda cents: cents / 100,
    "count": lambda count: count,
    "instant": _serial,
    "day": lambda day: day.toordinal() - _EPOCH,
    "month": lambda month: month.toordinal() - _EPOCH,
}


class LinesPage(Generic[R]):
    """The page. It has at most `LAST_ROW - FIRST_LINE + 1` lines; the first `printed` columns are printed."""

    def __init__(
        self,
        book: Workbook,
        styles: Styles,
        *,
        columns: Sequence[Column[R]],
        lines: Sequence[R],
        words: Mapping[str, str],
        printed: int,
    ) -> None:
        self._styles, self._columns, self._lines, self._words = styles, columns, lines, words
        self._printed = printed
        self._sheet = book.add_worksheet(words["page_lines"])
        self._last = max(FIRST_LINE, _HEADER + len(lines))
        self._looks = {kind: styles.of(**_CELL, **look) for kind, look in _FORMATS.items()}

    def span(self, word: str) -> str:
        """Return the range of a column's lines, in the notation of formulas on another page."""
        letter = xl_col_to_name(next(i for i, column in enumerate(self._columns) if column.word == word))
        return f"'{self._words['page_lines']}'!${letter}${FIRST_LINE + 1}:${letter}${self._last + 1}"

    def write(self) -> None:
        self._format()
        self._write_sums()
        for index, column in enumerate(self._columns):
            self._sheet.write_string(_HEADER, index, self._words[column.word], self._header_look(column.kind))
        columns = [(index, each.value, each.kind, self._looks[each.kind]) for index, each in enumerate(self._columns)]
        sheet = self._sheet
        for row, line in enumerate(self._lines, FIRST_LINE):
            for index, value_of, kind, look in columns:
                value = value_of(line)
                if value is None or value == "":
                    sheet.write_blank(row, index, None, look)
                elif kind == "text":
                    sheet.write_string(row, index, value[:LONGEST_TEXT], look)
                else:
                    sheet.write_number(row, index, _NUMBERS[kind](value), look)

    def _format(self) -> None:
        sheet, end = self._sheet, len(self._columns) - 1
        for index, column in enumerate(self._columns):
            sheet.set_column(index, index, column.width)
        sheet.set_row(_HEADER, 24)
        sheet.freeze_panes(FIRST_LINE, _FROZEN_COLUMNS)
        sheet.autofilter(_HEADER, 0, self._last, end)
        sheet.ignore_errors({"number_stored_as_text": f"A1:{xl_col_to_name(end)}{self._last + 1}"})
        sheet.hide_gridlines(2)
        on_paper(sheet)
        # print the columns that people discuss; the others are for the screen
        sheet.print_area(0, 0, self._last, self._printed - 1)
        sheet.repeat_rows(_HEADER)

    def _header_look(self, kind: Kind) -> Any:
        if kind == "money":
            return self._styles.header_right
        return self._styles.header_indented if kind == "text" else self._styles.header_centred

    def _write_sums(self) -> None:
        label = self._styles.of(bold=True, bg_color=BAND)
        money = self._styles.of(bold=True, bg_color=BAND, num_format=MONEY)
        for index, column in enumerate(self._columns):
            if column.kind == "money":
                letter = xl_col_to_name(index)
                cents = sum(column.value(line) for line in self._lines)
                formula = f"=SUBTOTAL(109,{letter}{FIRST_LINE + 1}:{letter}{self._last + 1})"
                self._sheet.write_formula(_SUMS, index, formula, money, cents / 100)
            else:
                self._sheet.write_string(_SUMS, index, "" if index else self._words["visible_sum"], label)
