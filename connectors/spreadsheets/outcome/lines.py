"""The page of rows: one line per row of the user's file, in the file's order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final, Literal

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name

from connectors.spreadsheets.writers.safe_files import on_paper
from connectors.spreadsheets.writers.styles import BAND, LINK, MONEY, MUTED, OUTCOMES, RULE, Styles
from domain.competence import BRASILIA
from domain.documents import CNPJ_LENGTH, CPF_LENGTH, Document
from domain.reports import Outcome, OutcomeReport, OutcomeRow

Kind = Literal["text", "wrapped", "money", "instant", "month", "count", "status", "file"]

_TEXT_WIDTH: Final = 36
LONGEST_TEXT: Final = 32_000
"""A cell holds 32,767 characters; XlsxWriter would omit a longer text silently."""

_SEVERAL: Final = 2

RETENTIONS: Final = (
    "pis_cents", "cofins_cents", "csll_cents", "ir_cents", "inss_cents", "retained_iss_cents",
    "other_retentions_cents",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Column:
    """One column. `word` is the heading's key, `value` returns a row's value."""

    word: str
    width: float
    kind: Kind
    value: Callable[[OutcomeRow], Any]


def _document(row: OutcomeRow) -> str | None:
    """Return a document as people write it. An incomplete document stays unchanged."""
    number = row.taker_document
    if number is None or len(number) not in (CPF_LENGTH, CNPJ_LENGTH) or not number.isalnum():
        return number
    return Document("cpf" if len(number) == CPF_LENGTH else "cnpj", number).formatted


def _retained(row: OutcomeRow) -> int | None:
    return sum(row.amounts.get(name, 0) for name in RETENTIONS) if row.amounts else None


def _rps(row: OutcomeRow) -> str | None:
    return None if row.number is None else f"{row.serie or ''} {row.number}".strip()


def _listed(texts: Sequence[str]) -> str:
    """Return one text a line, numbered if there are several: a person compares two columns of them."""
    if len(texts) < _SEVERAL:
        return "".join(texts)
    return "\n".join(f"{place}. {text}" for place, text in enumerate(texts, start=1) if text)


def _tax(name: str) -> _Column:
    return _Column(f"{name}_amount", 8.5, "money", lambda row: row.amounts.get(f"{name}_cents"))


COLUMNS: Final = (
    _Column("row", 6, "count", lambda row: row.row),
    _Column("status", 16, "status", lambda row: row.status),
    _Column("taker", 24, "wrapped", lambda row: row.taker_name),
    _Column("sheet_name", 20, "wrapped", lambda row: row.sheet_name),
    _Column("document", 17.5, "text", _document),
    _Column("service_amount", 11.5, "money", lambda row: row.service_cents),
    *map(_tax, ("iss", "pis", "cofins", "csll", "ir", "inss")),
    _Column("retained", 10, "money", _retained),
    _Column("liquid_amount", 11.5, "money", lambda row: row.liquid_cents),
    _Column("nfse_number", 10, "text", lambda row: row.nfse_number),
    _Column("competence", 10.5, "month", lambda row: row.competence),
    _Column("problems", _TEXT_WIDTH, "wrapped", lambda row: _listed(row.problems)),
    _Column("mends", _TEXT_WIDTH, "wrapped", lambda row: _listed(row.mends)),
    _Column("rps", 11, "text", _rps),
    _Column("emission", 16, "instant", lambda row: row.emission_at),
    _Column("template", 22, "text", lambda row: row.subject),
    _Column("description", 44, "text", lambda row: row.description),
    _Column("emitter", 30, "text", lambda row: row.emitter_name or row.emitter_cnpj),
    _Column("nfse_key", 20, "text", lambda row: row.nfse_key),
    _Column("remote_id", 12, "text", lambda row: None if row.remote_id is None else str(row.remote_id)),
    _Column("batch", 34, "text", lambda row: row.batch_name),
    _Column("pdf", 7, "file", lambda row: row.files.get("pdf")),
    _Column("xml", 7, "file", lambda row: row.files.get("xml")),
    # A person fills these columns in and gives the workbook to `faturista cancel list` or `replace list`.
    _Column("cancel", 11, "text", lambda _: None),
    _Column("cancel_reason", 44, "wrapped", lambda _: None),
    _Column("replace", 11, "text", lambda _: None),
)
_HIDDEN_WHEN_EMPTY: Final = frozenset(
    {"emission", "iss_amount", "pis_amount", "cofins_amount", "csll_amount", "ir_amount", "inss_amount", "retained",
     "batch", "sheet_name", "problems", "mends", "pdf", "xml"}
)  # fmt: skip
"""Columns to hide if no row has a value. They are not left out, so that each column keeps its letter."""
_WRAPPED: Final = frozenset[Kind]({"wrapped", "status"})
_LETTERS: Final = 1.1
"""Letters that fit into a column per unit of its width."""
_LINE_POINTS: Final = 13.5
_ONE_LINE: Final = 15.0
_TALLEST_POINTS: Final = 400.0
_VISIBLE: Final = len(COLUMNS)
"""Index of a hidden column: the number of a row's outcome while a filter shows the row, else 0; for all sums."""
_FROZEN_COLUMNS: Final = 3
_PRINTED_COLUMNS: Final = 18
_CELL: Final = {"bottom": 1, "bottom_color": RULE, "valign": "top"}
_FORMATS: Final[dict[Kind, dict[str, Any]]] = {
    "text": {"num_format": "@", "align": "left", "indent": 1},
    "wrapped": {"num_format": "@", "align": "left", "indent": 1, "text_wrap": True},
    "money": {"num_format": MONEY},
    "instant": {"num_format": "dd/mm/yyyy hh:mm", "align": "center"},
    "month": {"num_format": "mm/yyyy", "align": "center"},
    "count": {"num_format": "0", "align": "right"},
    "status": {"align": "left", "indent": 1, "text_wrap": True},
    "file": {"align": "left", "indent": 1, "font_color": LINK, "underline": 1},
}


class LinesPage:
    """The page: sums of the visible rows, a line for each outcome, then header, filter and rows."""

    def __init__(self, book: Workbook, styles: Styles, report: OutcomeReport) -> None:
        self._styles = styles
        self._report = report
        self._sheet = book.add_worksheet(report.words["page_rows"])
        self._statuses: dict[Outcome, str] = {row.outcome: row.status for row in reversed(report.rows)}
        self._shown = [outcome for outcome in OUTCOMES if outcome in self._statuses]
        self._header = max(len(self._shown), 1)
        self._last = self._header + len(report.rows)
        self._plain = {kind: styles.of(**_CELL, **look) for kind, look in _FORMATS.items()}

    def write(self) -> None:
        self._format()
        self._write_sums()
        for index, column in enumerate(COLUMNS):
            look = self._header_look(column.kind)
            self._sheet.write_string(self._header, index, self._report.words[column.word], look)
        for number, row in enumerate(self._report.rows, self._header + 1):
            height = _height(row)
            if height > _ONE_LINE:
                self._sheet.set_row(number, height)
            for index, column in enumerate(COLUMNS):
                self._write_cell((number, index), column, row)
            self._write_visible(number, row.outcome)

    def _format(self) -> None:
        sheet, end = self._sheet, len(COLUMNS) - 1
        for index, column in enumerate(COLUMNS):
            is_empty = not any(column.value(row) not in (None, "") for row in self._report.rows)
            is_hidden = column.word in _HIDDEN_WHEN_EMPTY and is_empty and bool(self._report.rows)
            sheet.set_column(index, index, column.width, None, {"hidden": is_hidden})
        sheet.set_column(_VISIBLE, _VISIBLE, None, None, {"hidden": True})
        sheet.set_row(self._header, 30)
        sheet.freeze_panes(self._header + 1, _FROZEN_COLUMNS)
        # without the hidden column: Excel never filters a last row whose filtered cells hold a SUBTOTAL
        sheet.autofilter(self._header, 0, max(self._last, self._header + 1), end)
        sheet.ignore_errors({"number_stored_as_text": f"A1:{xl_col_to_name(end)}{self._last + 1}"})
        sheet.hide_gridlines(2)
        on_paper(sheet)
        # print customer, amount and reason; the columns that identify the invoice elsewhere are for the screen
        sheet.print_area(0, 0, self._last, _PRINTED_COLUMNS - 1)
        sheet.repeat_rows(self._header)

    def _header_look(self, kind: Kind) -> Format:
        if kind in ("money", "count"):
            return self._styles.header_right
        return self._styles.header_centred if kind in ("instant", "month") else self._styles.header_indented

    def _write_sums(self) -> None:
        """Write a line of sums for each outcome, issued invoices first, so that no sum mixes issued and other rows.

        The lines sum the visible rows, so they follow a filter by emitter or status.
        """
        first, last = self._header + 2, max(self._last, self._header + 1) + 1
        flag = xl_col_to_name(_VISIBLE)
        for line, outcome in enumerate(self._shown):
            shape = {"bold": True, "bg_color": BAND} if line == 0 else {"font_color": MUTED, "bg_color": BAND}
            label = self._styles.of(**shape)
            money = self._styles.of(**shape, num_format=MONEY)
            rows = [row for row in self._report.rows if row.outcome == outcome]
            text = f"{self._report.words['visible_sum']} · {self._statuses[outcome]}"
            for index, column in enumerate(COLUMNS):
                if column.kind == "money":
                    letter = xl_col_to_name(index)
                    cents = sum(column.value(row) or 0 for row in rows)
                    span, flags = (f"{each}${first}:{each}${last}" for each in (letter, f"${flag}"))
                    formula = f"=SUMIFS({span},{flags},{OUTCOMES.index(outcome) + 1})"
                    self._sheet.write_formula(line, index, formula, money, cents / 100)
                else:
                    self._sheet.write_string(line, index, text if index == 1 else "", label)

    def _write_visible(self, number: int, outcome: Outcome) -> None:
        """Write the number of the row's outcome while a filter shows the row, otherwise 0."""
        place = OUTCOMES.index(outcome) + 1
        self._sheet.write_formula(number, _VISIBLE, f"=SUBTOTAL(103,A{number + 1})*{place}", None, place)

    def _write_cell(self, at: tuple[int, int], column: _Column, row: OutcomeRow) -> None:
        value = column.value(row)
        look = self._look(column, row)
        if value is None or value == "":
            self._sheet.write_blank(*at, None, look)
        elif column.kind == "money":
            self._sheet.write_number(*at, value / 100, look)
        elif column.kind == "file":
            # as a formula: a sheet holds no more than 65,530 links
            shown = self._report.words[column.word]
            self._sheet.write_formula(*at, f'=HYPERLINK("{_quoted(value)}","{_quoted(shown)}")', look, shown)
        elif column.kind == "count":
            self._sheet.write_number(*at, value, look)
        elif column.kind == "instant":
            # spreadsheets have no time zones: everything is in Brasília time
            self._sheet.write_datetime(*at, value.astimezone(BRASILIA).replace(tzinfo=None, microsecond=0), look)
        elif column.kind == "month":
            self._sheet.write_datetime(*at, datetime(value.year, value.month, 1), look)  # noqa: DTZ001
        else:
            self._sheet.write_string(*at, value[:LONGEST_TEXT], look)

    def _look(self, column: _Column, row: OutcomeRow) -> Format:
        if column.kind == "status":
            return self._styles.outcome(row.outcome, **_CELL, **_FORMATS["status"])
        return self._plain[column.kind]


def _quoted(text: str) -> str:
    return text.replace('"', '""')


def _height(row: OutcomeRow) -> float:
    """Return a row's height in points for its wrapped texts; some programs otherwise show only one line."""
    lines = max(_lines(str(column.value(row) or ""), column.width) for column in COLUMNS if column.kind in _WRAPPED)
    return min(lines * _LINE_POINTS + 1.5, _TALLEST_POINTS)


def _lines(text: str, width: float) -> int:
    return sum(max(1, ceil(len(part) / (width * _LETTERS))) for part in text.split("\n"))
