"""The first page: four figures, one table of counts and amounts, one chart, and warnings about them.

Every count and amount of the table is a formula over the page of lines, with our own sum as its stored value: the sum
changes when a person edits lines, and a program that does not calculate shows the right one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_rowcol_to_cell

from connectors.spreadsheets.outcome.notices import write_notices
from connectors.spreadsheets.writers.safe_files import on_paper
from connectors.spreadsheets.writers.styles import BAND, COUNT, CURRENCY, FONT, INK, MONEY, MUTED, RULE, Styles

_FIRST: Final = 1
_NAME, _COUNT, _AMOUNT = 20.0, 10.0, 17.0
_CARDS: Final = ((1, 3), (4, 2), (6, 2), (8, 2))
"""First column and width in columns of each figure."""
_CHART_ROWS: Final = 16
_ROW_PIXELS: Final = 20
_ROWS_ON_PAPER: Final = 30
"""The most lines of the table that fit on one sheet of paper together with the chart."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a director asks for first; amounts are in cents."""

    word: str
    value: int
    is_amount: bool
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The table: `rows` are months or texts, `columns` labels with colours, `sums` (count, cents) by row and label.

    `row_cells`, `column_cells`, `amount_cells` are the ranges on the page of lines to compare and sum.
    """

    rows: Sequence[date | str]
    columns: Sequence[tuple[str, str]]
    sums: Mapping[tuple[date | str, str], tuple[int, int]]
    row_cells: str
    column_cells: str
    amount_cells: str
    chart_counts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The whole content of the page."""

    words: Mapping[str, str]
    facts: Sequence[str]
    figures: Sequence[Figure]
    matrix: Matrix
    warnings: Sequence[str] = field(default_factory=tuple)


class SummaryPage:
    """Writes the summary, the first page of a report.

    Write it before the page of lines, although its formulas refer to that page.
    """

    def __init__(self, book: Workbook, styles: Styles, words: Mapping[str, str]) -> None:
        self._book, self._styles, self._words = book, styles, words
        self._sheet = book.add_worksheet(words["page_summary"])
        self._row = 1

    def write(self, summary: Summary) -> None:
        self._format(summary.matrix)
        self._write_head(summary.facts)
        self._write_figures(summary.figures)
        first, last = self._write_matrix(summary.matrix)
        if summary.matrix.rows and summary.matrix.columns:
            self._insert_chart(summary.matrix, first, last)
        self._write_warnings(summary.warnings)

    def _format(self, matrix: Matrix) -> None:
        sheet, groups = self._sheet, len(matrix.columns)
        sheet.set_column(0, 0, 2)
        sheet.set_column(_FIRST, _FIRST, _NAME)
        for pair in range(max(groups + 1, 4)):
            column = _FIRST + 1 + 2 * pair
            sheet.set_column(column, column, _COUNT)
            sheet.set_column(column + 1, column + 1, _AMOUNT)
        sheet.hide_gridlines(2)
        on_paper(sheet, high=1 if len(matrix.rows) <= _ROWS_ON_PAPER else 0)

    def _write_head(self, facts: Sequence[str]) -> None:
        self._sheet.set_row(self._row, 28)
        self._sheet.write_string(self._row, _FIRST, self._words["title"], self._styles.title)
        self._sheet.write_string(self._row + 1, _FIRST, "   ·   ".join(facts), self._styles.muted)
        self._row += 3

    def _write_figures(self, figures: Sequence[Figure]) -> None:
        self._sheet.set_row(self._row, 18)
        self._sheet.set_row(self._row + 1, 30)
        for figure, (column, span) in zip(figures, _CARDS, strict=True):
            look = self._styles.of(
                font_color=MUTED, bg_color=BAND, align="left", indent=1, top=5, top_color=figure.colour
            )
            self._sheet.merge_range(self._row, column, self._row, column + span - 1, "", look)
            self._sheet.write_string(self._row, column, self._words[figure.word], look)
        for figure, (column, span) in zip(figures, _CARDS, strict=True):
            form, value = (CURRENCY, figure.value / 100) if figure.is_amount else (COUNT, figure.value)
            look = self._styles.of(bold=True, font_size=16, bg_color=BAND, num_format=form, align="left", indent=1)
            self._sheet.merge_range(self._row + 1, column, self._row + 1, column + span - 1, "", look)
            self._sheet.write_number(self._row + 1, column, value, look)
        self._row += 3

    def _write_matrix(self, matrix: Matrix) -> tuple[int, int]:
        """Write the matrix. Return the first and last row of its lines, for the chart."""
        labels = [label for label, _ in matrix.columns]
        self._write_section("table", _FIRST + 2 * len(labels) + 2)
        self._write_headers(labels)
        header, first = self._row - 2, self._row
        for key in matrix.rows:
            self._write_key(key)
            for index, label in enumerate(labels):
                self._write_pair(matrix, key, label, (header, index))
            self._write_across(matrix, key, len(labels))
            self._row += 1
        last = max(first, self._row - 1)
        self._write_totals(matrix, labels, (first, last))
        return first, last

    def _write_headers(self, labels: Sequence[str]) -> None:
        self._sheet.write_string(self._row, _FIRST, "", self._styles.header)
        look = self._styles.of(bold=True, font_color="#FFFFFF", bg_color=INK, align="center")
        for index, label in enumerate([*labels, self._words["total_of_all"]]):
            column = _FIRST + 1 + 2 * index
            self._sheet.merge_range(self._row, column, self._row, column + 1, "", look)
            self._sheet.write_string(self._row, column, label, look)
        self._row += 1
        self._sheet.write_string(self._row, _FIRST, self._words["row"], self._styles.header_indented)
        for index in range(len(labels) + 1):
            column = _FIRST + 1 + 2 * index
            self._sheet.write_string(self._row, column, self._words["count"], self._styles.header_right)
            self._sheet.write_string(self._row, column + 1, self._words["amount_brl"], self._styles.header_right)
        self._row += 1

    def _write_key(self, key: date | str) -> None:
        look = {"bottom": 1, "bottom_color": RULE, "align": "left", "indent": 1}
        if isinstance(key, str):
            self._sheet.write_string(self._row, _FIRST, key, self._styles.of(**look))
        else:
            moment = datetime(key.year, key.month, 1)  # noqa: DTZ001 - a cell knows no zone
            self._sheet.write_datetime(self._row, _FIRST, moment, self._styles.of(num_format="mm/yyyy", **look))

    def _write_pair(self, matrix: Matrix, key: date | str, label: str, header: tuple[int, int]) -> None:
        count, cents = matrix.sums.get((key, label), (0, 0))
        column = _FIRST + 1 + 2 * header[1]
        own = xl_rowcol_to_cell(self._row, _FIRST, col_abs=True)
        group = xl_rowcol_to_cell(header[0], column, row_abs=True, col_abs=True)
        # a product of comparisons instead of SUMIFS, which reads some labels as patterns
        fits = f"({matrix.row_cells}={own})*({matrix.column_cells}={group})"
        self._formula(column, f"=SUMPRODUCT({fits})", count, COUNT)
        self._formula(column + 1, f"=SUMPRODUCT({fits}*{matrix.amount_cells})", cents / 100, MONEY)

    def _write_across(self, matrix: Matrix, key: date | str, groups: int) -> None:
        pairs = [matrix.sums.get((key, label), (0, 0)) for label, _ in matrix.columns]
        for offset, form, value in (
            (0, COUNT, sum(count for count, _ in pairs)),
            (1, MONEY, sum(cents for _, cents in pairs) / 100),
        ):
            cells = [xl_rowcol_to_cell(self._row, _FIRST + 1 + offset + 2 * index) for index in range(groups)]
            self._formula(_FIRST + 1 + offset + 2 * groups, f"=SUM({','.join(cells)})" if cells else "=0", value, form)

    def _write_totals(self, matrix: Matrix, labels: Sequence[str], span: tuple[int, int]) -> None:
        self._sheet.write_string(self._row, _FIRST, self._words["total_of_all"], self._sum_look(indent=1))
        for index, label in enumerate([*labels, None]):
            pairs = [pair for (_, column), pair in matrix.sums.items() if label in (None, column)]
            for offset, form, value in (
                (0, COUNT, sum(count for count, _ in pairs)),
                (1, MONEY, sum(cents for _, cents in pairs) / 100),
            ):
                column = _FIRST + 1 + offset + 2 * index
                ends = [xl_rowcol_to_cell(row, column) for row in span]
                look = self._sum_look(num_format=form)
                self._sheet.write_formula(self._row, column, f"=SUM({ends[0]}:{ends[1]})", look, value)
        self._row += 2

    def _formula(self, column: int, formula: str, value: float, form: str) -> None:
        look = self._styles.of(num_format=form, bottom=1, bottom_color=RULE)
        self._sheet.write_formula(self._row, column, formula, look, value)

    def _sum_look(self, **more: Any) -> Any:
        return self._styles.of(bold=True, bg_color=BAND, top=1, top_color=INK, **more)

    def _insert_chart(self, matrix: Matrix, first: int, last: int) -> None:
        chart: Any = self._book.add_chart({"type": "column", "subtype": "stacked"})
        page = self._words["page_summary"]
        for index, (label, colour) in enumerate(matrix.columns):
            column = _FIRST + 1 + 2 * index + (not matrix.chart_counts)
            chart.add_series(
                {
                    "name": label,
                    "categories": [page, first, _FIRST, last, _FIRST],
                    "values": [page, first, column, last, column],
                    "fill": {"color": colour},
                    "gap": 60,
                }
            )
        font = {"name": FONT, "size": 9, "color": INK}
        title = {"name": self._words["chart"], "name_font": font | {"size": 11, "bold": True}, "overlay": False}
        chart.set_title(title)
        months = {"num_format": "mm/yyyy"} if matrix.rows and not isinstance(matrix.rows[0], str) else {}
        chart.set_x_axis({"num_font": font, "line": {"color": RULE}, "text_axis": True, **months})
        grid = {"visible": True, "line": {"color": RULE}}
        chart.set_y_axis(
            {"num_format": "[$-416]#,##0", "num_font": font, "major_gridlines": grid, "line": {"none": True}}
        )
        chart.set_legend({"position": "bottom", "font": font})
        chart.set_chartarea({"border": {"color": RULE}})
        pairs = max(len(matrix.columns) + 1, 4)
        width = _pixels(_NAME) + pairs * (_pixels(_COUNT) + _pixels(_AMOUNT))
        chart.set_size({"width": width, "height": _CHART_ROWS * _ROW_PIXELS})
        self._sheet.insert_chart(self._row, _FIRST, chart)
        self._row += _CHART_ROWS + 1

    def _write_warnings(self, warnings: Sequence[str]) -> None:
        if not warnings:
            return
        self._write_section("warnings", _FIRST + 8)
        width, columns = _NAME + 4 * (_COUNT + _AMOUNT), (_FIRST, _FIRST + 8)
        self._row = write_notices(self._sheet, self._styles, warnings, row=self._row, columns=columns, width=width)

    def _write_section(self, word: str, last: int) -> None:
        self._sheet.set_row(self._row, 20)
        self._sheet.write_string(self._row, _FIRST, self._words[word], self._styles.section)
        for column in range(_FIRST + 1, last + 1):
            self._sheet.write_blank(self._row, column, None, self._styles.section)
        self._row += 1


def _pixels(width: float) -> int:
    """Return the width in pixels of a column that is `width` characters wide."""
    return int(width * 7 + 5)
