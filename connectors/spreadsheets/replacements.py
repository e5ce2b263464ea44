"""Parse a list of invoices to replace: an outcome workbook in which a person marked rows and corrected their cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.marked_rows import MarkedReader, MarkedRow, read_marked
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.row_parser import RowValues

CORRECTABLE: Final = ("document", "name", "service_cents", "competence", "template_name", "description")
"""Fields in which the new invoice may differ from the replaced one."""


@dataclass(frozen=True, slots=True)
class ReplaceRow(MarkedRow):
    """One marked row. `written` are the values in its correctable cells by field: cents, a month's first day, text."""

    written: Mapping[str, Any] = field(default_factory=dict)


def read_replacements(
    workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None
) -> list[ReplaceRow]:
    """Return the marked rows in file order. Raises `InputError` if the file cannot be understood."""
    return read_marked(_Reader, workbook, layout, cities=cities, sheet=sheet)


@dataclass(slots=True, kw_only=True)
class _Reader(MarkedReader[ReplaceRow]):
    def parsers(self) -> Mapping[str, Parse]:
        return {
            "replace": self.yes_no,
            "replace_reason": self.words,
            "document": self.document_number,
            "service_cents": self.amount,
            "competence": self.month,
            "description": self.paragraph,
            **dict.fromkeys(("name", "template_name"), self.words),
            **self.naming_parsers(),
        }

    def read(self, row_values: RowValues) -> ReplaceRow | None:
        """Return a marked row, or None for a row without a mark."""
        if not self.is_marked(row_values, "replace"):
            return None
        named = self.named(row_values, reason="replace_reason")
        written = {
            name: row_values.values[name] for name in CORRECTABLE if row_values.values.get(name) not in (None, "")
        }
        return ReplaceRow(row_values.row.number, **named, written=written)
