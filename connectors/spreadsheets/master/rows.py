"""Parse master data rows with a key and fields: the shared part for templates, emitters and others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from connectors.spreadsheets.formats.sheets import Cell, Workbook
from connectors.spreadsheets.headers.layouts import Header, Layout, find_header
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.row_customers import locate
from connectors.spreadsheets.row_parser import RowValues, SheetReader
from connectors.spreadsheets.rows.row_facts import rows_below
from domain.master_fields import Field, Value
from domain.problems import InputError, Problem, Where


@dataclass(frozen=True, slots=True)
class MasterRow:
    """One row: its key, and its values by field. A row with `problems` has no values, and its key may have gaps."""

    number: int
    key: tuple[str, ...]
    written: Mapping[str, Value]
    problems: tuple[Problem, ...]


@dataclass(slots=True, kw_only=True)
class MasterReader(SheetReader):
    """Parse rows of one kind of master data. `key_fields` make the key, `fields` are the values of a `MasterRow`."""

    fields: ClassVar[Mapping[str, Field]]
    key_fields: ClassVar[tuple[str, ...]]
    sources: ClassVar[Mapping[str, str]] = {}
    """The name of a field's column, if it differs from the field's."""

    def own_parsers(self) -> Mapping[str, Parse]:
        """Return the parsers of fields whose `kind` does not determine the parser."""
        return {}

    def parsers(self) -> Mapping[str, Parse]:
        by_kind: Mapping[str, Parse] = {"rate": self.rate, "amount": self.positive, "yes_no": self.yes_no}
        return {
            **{name: by_kind.get(field.kind, self.words) for name, field in self.fields.items()},
            **dict.fromkeys(self.key_fields, self.words),
            "emitter_cnpj": self.cnpj,
            "is_wanted": self.yes_no,
            **self.own_parsers(),
        }

    def positive(self, cell: Cell, field: str) -> int | Problem:
        """Return an amount in cents that is not negative."""
        found = self.amount(cell, field)
        if isinstance(found, int) and found < 0:
            return Problem("amount.out_of_range", params={"amount": number_parser.shown(cell)})
        return found

    def read(self, row_values: RowValues) -> MasterRow:
        """Return the row's values, or every problem of the row."""
        values = row_values.values | row_values.taker_values
        key = tuple(values.get(name) or "" for name in self.key_fields)
        for name, value in zip(self.key_fields, key, strict=True):
            if not value:
                row_values.require(name, "row.required")
        locate(row_values, values)
        problems = row_values.in_column_order()
        if problems:
            return MasterRow(row_values.row.number, key, {}, problems)
        written = {
            name: value
            for name in self.fields
            if (value := values.get(self.sources.get(name, name))) not in (None, "", ())
        }
        return MasterRow(row_values.row.number, key, written, ())


def read_master(
    workbook: Workbook, layout: Layout, kind: type[MasterReader], *, cities: Cities, sheet: str | None = None
) -> list[MasterRow]:
    """Return every row below the header in file order.

    Raises `InputError` if the whole file cannot be understood.
    """
    header = find_header(workbook, layout, sheet=sheet)
    reader = kind(
        sheet=header.sheet.name,
        columns=header.columns,
        locales=_locales(header, kind.fields),
        defaults=Defaults(),
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    rows = [reader.read(row_values) for row_values in reader.take(list(rows_below(header)))]
    if not rows:
        raise InputError(Problem("sheet.no_records", None, Where(sheet=header.sheet.name, row=header.row)))
    return rows


def _locales(header: Header, fields: Mapping[str, Field]) -> dict[str, str | None]:
    """Return the number notation of each column of rates or amounts, by field."""
    asked = [name for name, field in fields.items() if field.kind in ("rate", "amount") and name in header.columns]
    return {name: number_parser.locale_of(_texts(header, header.columns[name])) for name in asked}


def _texts(header: Header, index: int) -> Iterator[str]:
    for row in rows_below(header):
        if index < len(row.cells) and isinstance(cell := row.cells[index], str):
            yield cells.as_text(cell)
