"""Parse a list of invoices to cancel: an outcome workbook in which a person marked some rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.layouts import Layout
from connectors.spreadsheets.marked_rows import MarkedReader, MarkedRow, read_marked
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.row_parser import RowValues


@dataclass(frozen=True, slots=True)
class CancelRow(MarkedRow):
    """One marked row: the invoice to cancel and the reason, or the row's problems."""


def read_cancellations(
    workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None
) -> list[CancelRow]:
    """Return the marked rows in file order. Raises `InputError` if the file cannot be understood."""
    return read_marked(_Reader, workbook, layout, cities=cities, sheet=sheet)


@dataclass(slots=True, kw_only=True)
class _Reader(MarkedReader[CancelRow]):
    def parsers(self) -> Mapping[str, Parse]:
        return {"cancel": self.yes_no, "cancel_reason": self.words, **self.naming_parsers()}

    def read(self, row_values: RowValues) -> CancelRow | None:
        """Return the request of a marked row; None for a row without a mark."""
        if not self.is_marked(row_values, "cancel"):
            return None
        named = self.named(row_values, reason="cancel_reason")
        return CancelRow(row_values.row.number, **named)
