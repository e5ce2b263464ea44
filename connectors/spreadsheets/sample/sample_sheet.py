"""The page of a sample: a title, a header below it, and the formats of its cells."""

from collections.abc import Sequence
from typing import Final

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

HEADER_ROW: Final = 4
MONTHS: Final = ("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
                 "novembro", "dezembro")  # fmt: skip


class SampleSheet:
    """Writes a sample sheet from the title down. `_next` is the next free row, from 0."""

    def __init__(self, book: xlsxwriter.Workbook, name: str) -> None:
        self._sheet: Worksheet = book.add_worksheet(name)
        self._title = book.add_format({"bold": True, "font_size": 14, "font_color": "#1F3A5F"})
        self._note = book.add_format({"italic": True, "font_color": "#666666"})
        self._header = book.add_format(
            {"bold": True, "bg_color": "#1F3A5F", "font_color": "#FFFFFF", "text_wrap": True, "valign": "vcenter"}
        )
        self._text = book.add_format({"num_format": "@"})
        self._money = book.add_format({"num_format": '"R$" #,##0.00'})
        self._day = book.add_format({"num_format": "dd/mm/yyyy", "align": "center"})
        self._bold = book.add_format({"bold": True, "top": 1})
        self._bold_money = book.add_format({"bold": True, "top": 1, "num_format": '"R$" #,##0.00'})
        self._next = HEADER_ROW

    def _open(self, title: str, note: str, headers: Sequence[tuple[str, int]], *, span: int, frozen: int) -> None:
        """Write the title over `span` columns, the note, and the headers with their widths; freeze `frozen` columns."""
        self._sheet.merge_range(0, 0, 0, span - 1, title, self._title)
        self._sheet.write(1, 0, note, self._note)
        self._sheet.set_row(HEADER_ROW - 1, 32)
        for column, (header, width) in enumerate(headers):
            self._sheet.write(HEADER_ROW - 1, column, header, self._header)
            self._sheet.set_column(column, column, width)
        self._sheet.freeze_panes(HEADER_ROW, frozen)
        self._width = len(headers)

    def _close(self, label: str, cents: int, *, label_column: int, amount_column: int) -> None:
        """Write a line of totals; leave a row free below a subtotal."""
        for column in range(self._width):
            self._sheet.write_blank(self._next, column, None, self._bold)
        self._sheet.write_string(self._next, label_column, label, self._bold)
        self._sheet.write_number(self._next, amount_column, cents / 100, self._bold_money)
        self._next += 1 if label == "TOTAL" else 2
