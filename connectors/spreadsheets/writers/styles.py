"""Colours, fonts and Brazilian number formats of the outcome workbook."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.format import Format

from domain.reports import Outcome

INK: Final = "#1F2A44"
MUTED: Final = "#6B7280"
LINK: Final = "#1D4ED8"
RULE: Final = "#D5DAE3"
BAND: Final = "#F3F5F9"
FONT: Final = "Calibri"
# 416 selects Brazil's separators in programs that obey it. Zeros are dashes, so that amounts stand out.
MONEY: Final = '[$-416]#,##0.00;[$-416]-#,##0.00;"–"'
CURRENCY: Final = '[$-416]"R$" #,##0.00'
COUNT: Final = '[$-416]#,##0;[$-416]-#,##0;"–"'
SHARE: Final = '[$-416]0.0%;[$-416]-0.0%;"–"'

OUTCOMES: Final[tuple[Outcome, ...]] = (
    "accepted", "waiting", "in_doubt", "rejected", "held", "refused", "withdrawn", "repeated", "cancelled"
)  # fmt: skip
"""The order of display: finished, in progress, waiting for a person, not issued."""

COLOURS: Final[Mapping[Outcome, tuple[str, str, str]]] = {
    "accepted": ("#2E7D4F", "#E4F3EA", "#1E5A38"),
    "waiting": ("#3B78C3", "#E3EDF9", "#23518C"),
    "in_doubt": ("#7B4FB5", "#EEE6F8", "#553184"),
    "rejected": ("#C23B3B", "#FBE6E6", "#8F2323"),
    "held": ("#1F8A8A", "#DDF2F2", "#125C5C"),
    "refused": ("#E0A030", "#FDF3DD", "#80560B"),
    "withdrawn": ("#A8714A", "#F6EAE0", "#6B3F1D"),
    "repeated": ("#9AA3B2", "#EEF0F4", "#4B5563"),
    "cancelled": ("#5B6472", "#E6E8EC", "#374151"),
}
"""For each outcome: the chart's colour, a cell's background and its text colour."""


class Styles:
    """Cell formats by purpose; each is made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[tuple[tuple[str, Any], ...], Format] = {}

    def of(self, **properties: Any) -> Format:
        """Return a format with these properties over the common ones."""
        # called for each cell of a large sheet: add the common properties only to a new format
        key = tuple(properties.items())
        made = self._made.get(key)
        if made is None:
            whole = {"font_name": FONT, "font_size": 10, "font_color": INK, "valign": "vcenter"} | properties
            made = self._made[key] = self._book.add_format(whole)
        return made

    def outcome(self, outcome: Outcome, **properties: Any) -> Format:
        """Return the format of an outcome's cell, in that outcome's colours."""
        _, ground, text = COLOURS[outcome]
        return self.of(bg_color=ground, font_color=text, bold=True, **properties)

    @cached_property
    def title(self) -> Format:
        return self.of(bold=True, font_size=18)

    @cached_property
    def section(self) -> Format:
        return self.of(bold=True, font_size=12, bottom=2, bottom_color=INK)

    @cached_property
    def muted(self) -> Format:
        return self.of(font_color=MUTED)

    def _header(self, **properties: Any) -> Format:
        look = {"bold": True, "font_color": "#FFFFFF", "bg_color": INK, "valign": "vcenter", "text_wrap": True}
        return self.of(**look, **properties)

    @cached_property
    def header(self) -> Format:
        return self._header(align="left")

    @cached_property
    def header_indented(self) -> Format:
        return self._header(align="left", indent=1)

    @cached_property
    def header_centred(self) -> Format:
        return self._header(align="center")

    @cached_property
    def header_right(self) -> Format:
        return self._header(align="right")
