"""The first page: the month's result by status and by emitter, on one sheet of paper."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.format import Format

from connectors.spreadsheets.outcome.notices import write_notices
from connectors.spreadsheets.writers.safe_files import on_paper
from connectors.spreadsheets.writers.styles import (
    BAND,
    COLOURS,
    COUNT,
    CURRENCY,
    FONT,
    INK,
    MONEY,
    MUTED,
    OUTCOMES,
    RULE,
    SHARE,
    Styles,
)
from domain.competence import BRASILIA, format_competence
from domain.documents import Document
from domain.reports import Outcome, OutcomeReport, accepted_invoices

_FIRST: Final = 1
"""The first column in use: B, because A is a margin.

From D on, narrow columns for counts alternate with wide ones for amounts, so that both tables share them.
"""

_OPEN: Final[frozenset[Outcome]] = frozenset({"rejected", "held", "refused", "withdrawn", "in_doubt"})
"""Outcomes that need a person."""
_NAME, _CNPJ, _COUNT, _AMOUNT = 34.0, 21.0, 9.0, 16.0
_CHART_WIDTH: Final = 860
_CHART_ROWS: Final = 14
_ROW_PIXELS: Final = 20


class SummaryPage:
    """The page: title, four figures, two tables, the chart, and warnings about them."""

    def __init__(self, book: Workbook, styles: Styles, report: OutcomeReport) -> None:
        self._book = book
        self._styles = styles
        self._report = report
        self._words = report.words
        self._sheet = book.add_worksheet(report.words["page_summary"])
        self._row = 1
        self._statuses: Mapping[Outcome, str] = {row.outcome: row.status for row in report.rows}
        self._shown = [outcome for outcome in OUTCOMES if outcome in {total.outcome for total in report.totals}]

    def write(self) -> None:
        self._format()
        self._write_head()
        self._write_figures()
        self._write_statuses()
        if self._report.totals:
            first, last = self._write_emitters()
            self._insert_chart(first, last)
        self._write_warnings()

    def _format(self) -> None:
        sheet = self._sheet
        sheet.set_column(0, 0, 2)
        sheet.set_column(_FIRST, _FIRST, _NAME)
        sheet.set_column(_FIRST + 1, _FIRST + 1, _CNPJ)
        for pair in range(len(OUTCOMES) + 1):
            column = _FIRST + 2 + 2 * pair
            sheet.set_column(column, column, _COUNT)
            sheet.set_column(column + 1, column + 1, _AMOUNT)
        sheet.hide_gridlines(2)
        on_paper(sheet)

    def _write_head(self) -> None:
        self._sheet.set_row(self._row, 28)
        self._sheet.write_string(self._row, _FIRST, self._words["title"], self._styles.title)
        months = sorted({row.competence for row in self._report.rows if row.competence})
        made = self._report.made_at.astimezone(BRASILIA)
        facts = [
            f"{self._words['file']}: {self._report.file_name}",
            f"{self._words['competence']}: {', '.join(map(format_competence, months))}" if months else "",
            f"{self._words['as_of']} {made:%d/%m/%Y %H:%M} ({self._words['brasilia']})",
            f"SHA-256 {self._report.file_sha256[:12]}…",
        ]
        line = "   ·   ".join(fact for fact in facts if fact)
        self._sheet.write_string(self._row + 1, _FIRST, line, self._styles.muted)
        self._row += 3

    def _write_figures(self) -> None:
        """Write the four figures that a director asks for first."""
        accepted = [total for total in self._report.totals if total.outcome == "accepted"]
        others = sum(total.count for total in self._report.totals if total.outcome in _OPEN)
        figures: tuple[tuple[str, float, str, Outcome], ...] = (
            ("figure_accepted", accepted_invoices(self._report.rows), COUNT, "accepted"),
            ("figure_amount", sum(total.service_cents for total in accepted) / 100, CURRENCY, "accepted"),
            ("figure_liquid", sum(total.liquid_cents for total in accepted) / 100, CURRENCY, "accepted"),
            ("figure_open", others, COUNT, "rejected" if others else "repeated"),
        )
        columns, spans = (1, 2, 4, 6), (1, 2, 2, 2)
        self._sheet.set_row(self._row, 18)
        self._sheet.set_row(self._row + 1, 30)
        for (word, _, _, outcome), column, span in zip(figures, columns, spans, strict=True):
            line = {"top": 5, "top_color": COLOURS[outcome][0]}
            look = self._styles.of(font_color=MUTED, bg_color=BAND, align="left", indent=1, **line)
            self._spread(self._row, column, span, self._words[word], look)
        for (_, value, form, _), column, span in zip(figures, columns, spans, strict=True):
            look = self._styles.of(bold=True, font_size=16, bg_color=BAND, num_format=form, align="left", indent=1)
            self._spread(self._row + 1, column, span, value, look)
        self._row += 3

    def _spread(self, row: int, column: int, span: int, value: str | float, look: object) -> None:
        if span > 1:
            self._sheet.merge_range(row, column, row, column + span - 1, "", look)
        if isinstance(value, str):
            self._sheet.write_string(row, column, value, look)
        else:
            self._sheet.write_number(row, column, value, look)

    def _write_statuses(self) -> None:
        words, last = self._words, _FIRST + 5
        self._write_section("by_status", last)
        self._sheet.set_row(self._row, 28)
        liquid = words["accepted_liquid"]
        self._write_header((words["status"], "", words["lines"], words["service_amount"], "%", liquid))
        sums: defaultdict[Outcome | None, list[int]] = defaultdict(lambda: [0, 0, 0])
        for total in self._report.totals:
            for key in (total.outcome, None):
                # only issued invoices have a net amount that counts for the month
                net = total.liquid_cents if total.outcome == "accepted" else 0
                for index, value in enumerate((total.count, total.service_cents, net)):
                    sums[key][index] += value
        whole = sums[None][1]
        for key in (*self._shown, None):
            count, service, net = sums[key]
            look = self._sum_look() if key is None else self._styles.outcome(key, bottom=1, bottom_color=RULE)
            label = words["total_lines"] if key is None else self._statuses[key]
            self._sheet.merge_range(self._row, _FIRST, self._row, _FIRST + 1, "", look)
            self._sheet.write_string(self._row, _FIRST, label, look)
            values = (
                (count, COUNT),
                (service / 100, MONEY),
                (service / whole if whole else 0, SHARE),
                (net / 100, MONEY),
            )
            self._write_numbers(_FIRST + 2, values, is_sum=key is None)
            self._row += 1
        if self._report.control_total_cents is not None:
            self._sheet.write_string(self._row, _FIRST, words["control_total"], self._styles.muted)
            look = self._styles.of(font_color=MUTED, num_format=MONEY)
            self._sheet.write_number(self._row, _FIRST + 3, self._report.control_total_cents / 100, look)
            self._row += 1
        self._row += 1

    def _write_emitters(self) -> tuple[int, int]:
        """Write the emitters. Return their first and last row, for the chart."""
        words, last = self._words, _FIRST + 3 + 2 * len(self._shown)
        self._write_section("by_emitter", last)
        self._sheet.write_string(self._row, _FIRST, "", self._styles.header)
        self._sheet.write_string(self._row, _FIRST + 1, "", self._styles.header)
        for index, label in enumerate([*(self._statuses[each] for each in self._shown), words["total"]]):
            column = _FIRST + 2 + 2 * index
            look = self._styles.of(bold=True, font_color="#FFFFFF", bg_color=INK, align="center")
            self._sheet.merge_range(self._row, column, self._row, column + 1, "", look)
            self._sheet.write_string(self._row, column, label, look)
        self._row += 1
        pairs = [words["lines"], words["service_amount"]] * (len(self._shown) + 1)
        self._write_header((words["emitter"], words["emitter_cnpj"], *pairs))
        names = {total.emitter_cnpj or "": total.emitter_name or "" for total in self._report.totals}
        names |= {total.emitter_cnpj or "": total.emitter_name for total in self._report.totals if total.emitter_name}
        # unknown emitters come last
        emitters = sorted(names.items(), key=lambda emitter: (emitter[0] == "", emitter))
        first = self._row
        for cnpj, name in emitters:
            self._write_emitter(cnpj, name)
        self._write_emitter(None, words["total"])
        self._row += 1
        return first, first + len(emitters) - 1

    def _write_emitter(self, cnpj: str | None, name: str) -> None:
        """Write one emitter's counts and amounts; `cnpj` None is the sum of all, empty is unknown."""
        totals = [each for each in self._report.totals if cnpj is None or (each.emitter_cnpj or "") == cnpj]
        is_sum = cnpj is None
        look = self._sum_look() if is_sum else self._styles.of(bottom=1, bottom_color=RULE)
        shown = Document("cnpj", cnpj).formatted if cnpj else ""
        self._sheet.write_string(self._row, _FIRST, name or shown or self._words["no_emitter"], look)
        self._sheet.write_string(self._row, _FIRST + 1, shown, look)
        values: list[tuple[float, str]] = []
        for outcome in (*self._shown, None):
            of_it = [each for each in totals if outcome is None or each.outcome == outcome]
            values.append((sum(each.count for each in of_it), COUNT))
            values.append((sum(each.service_cents for each in of_it) / 100, MONEY))
        self._write_numbers(_FIRST + 2, values, is_sum=is_sum)
        self._row += 1

    def _insert_chart(self, first: int, last: int) -> None:
        chart: Any = self._book.add_chart({"type": "bar", "subtype": "stacked"})
        page = self._words["page_summary"]
        for index, outcome in enumerate(self._shown):
            chart.add_series(
                {
                    "name": self._statuses[outcome],
                    "categories": [page, first, _FIRST, last, _FIRST],
                    "values": [page, first, _FIRST + 3 + 2 * index, last, _FIRST + 3 + 2 * index],
                    "fill": {"color": COLOURS[outcome][0]},
                    "gap": 60,
                }
            )
        font = {"name": FONT, "size": 9, "color": INK}
        chart.set_title(
            {"name": self._words["chart"], "name_font": font | {"size": 11, "bold": True}, "overlay": False}
        )
        grid = {"visible": True, "line": {"color": RULE}}
        chart.set_x_axis(
            {"min": 0, "num_format": "[$-416]#,##0", "num_font": font, "major_gridlines": grid, "line": {"none": True}}
        )
        chart.set_y_axis({"reverse": True, "num_font": font, "line": {"color": RULE}, "crossing": "max"})
        chart.set_legend({"position": "bottom", "font": font})
        chart.set_chartarea({"border": {"color": RULE}})
        chart.set_size({"width": _CHART_WIDTH, "height": _CHART_ROWS * _ROW_PIXELS})
        self._sheet.insert_chart(self._row, _FIRST, chart)
        self._row += _CHART_ROWS + 1

    def _write_warnings(self) -> None:
        warnings = self._report.warnings
        if not warnings:
            return
        self._write_section("warnings", _FIRST + 5)
        width, columns = _NAME + _CNPJ + 2 * (_COUNT + _AMOUNT), (_FIRST, _FIRST + 5)
        self._row = write_notices(self._sheet, self._styles, warnings, row=self._row, columns=columns, width=width)

    def _write_section(self, word: str, last: int) -> None:
        self._sheet.set_row(self._row, 20)
        self._sheet.write_string(self._row, _FIRST, self._words[word], self._styles.section)
        for column in range(_FIRST + 1, last + 1):
            self._sheet.write_blank(self._row, column, None, self._styles.section)
        self._row += 1

    def _write_header(self, labels: Sequence[str]) -> None:
        for index, label in enumerate(labels):
            look = self._styles.header if index < 2 else self._styles.header_right
            self._sheet.write_string(self._row, _FIRST + index, label, look)
        self._row += 1

    def _write_numbers(self, column: int, values: Sequence[tuple[float, str]], *, is_sum: bool) -> None:
        for index, (value, form) in enumerate(values):
            look = self._sum_look(form) if is_sum else self._styles.of(num_format=form, bottom=1, bottom_color=RULE)
            self._sheet.write_number(self._row, column + index, value, look)

    def _sum_look(self, form: str = "General") -> Format:
        return self._styles.of(bold=True, bg_color=BAND, top=1, top_color=INK, num_format=form)
