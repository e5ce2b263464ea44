"""Parse rows of a customers sheet into customers, or into everything that is wrong with a row."""

from collections.abc import Mapping
from dataclasses import dataclass

from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.layouts import Layout, find_header
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.row_customers import taker_of
from connectors.spreadsheets.row_parser import RowValues, SheetReader
from connectors.spreadsheets.rows.row_facts import rows_below
from domain.parties import TakerData
from domain.problems import InputError, Problem, Where


@dataclass(frozen=True, slots=True)
class TakerRow:
    """One row; with `problems`, `taker` is what could be read of it."""

    number: int
    taker: TakerData
    problems: tuple[Problem, ...]


def read_takers(workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None = None) -> list[TakerRow]:
    """Return every row below the header in file order.

    Raises `InputError` if the whole file cannot be understood.
    """
    header = find_header(workbook, layout, sheet=sheet)
    reader = _Reader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales={},
        defaults=Defaults(),
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    rows = [reader.read(row_values) for row_values in reader.take(list(rows_below(header)))]
    if not rows:
        raise InputError(Problem("sheet.no_records", None, Where(sheet=header.sheet.name, row=header.row)))
    return rows


@dataclass(slots=True, kw_only=True)
class _Reader(SheetReader):
    def parsers(self) -> Mapping[str, Parse]:
        return {"is_wanted": self.yes_no, **self.taker_parsers()}

    def read(self, row_values: RowValues) -> TakerRow:
        """Return the customer of the row, or the row's problems."""
        taker = taker_of(row_values)
        if taker.name is None:
            row_values.require("name", "row.required")
        return TakerRow(row_values.row.number, taker, row_values.in_column_order())
