"""Rows of master data that have a key and fields: what both templates and emitters need to be read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from connectors.spreadsheets import cells, figures
from connectors.spreadsheets.formats.sheets import Cell, Row, Workbook
from connectors.spreadsheets.layouts import Header, Layout, find_header
from connectors.spreadsheets.survey import rows_below
from connectors.spreadsheets.taking import Cities, Defaults, RowTaking, SheetReader
from domain.master.fields import Field, Kind, Value
from domain.problems import LayoutError, Problem, Where


@dataclass(frozen=True, slots=True)
class MasterRow:
    """One row: what it is found by, and what it says by field. `key` is empty exactly when there are `problems`."""

    number: int
    key: tuple[str, ...]
    said: Mapping[str, Value]
    problems: tuple[Problem, ...]


class MasterTaking(RowTaking):
    """What one kind of sheet takes off a row."""

    fields: Mapping[str, Field]

    def key(self) -> tuple[str, ...]:
        """What the row's record is found by; problems are noted as for any value."""
        raise NotImplementedError

    def said(self) -> dict[str, Value]:
        """The row's values by field, without those that it leaves empty."""
        found = {name: self._value(name, field.kind) for name, field in self.fields.items()}
        return {name: value for name, value in found.items() if value is not None}

    def needed(self, field: str) -> str:
        """A text or, for the emitter, a CNPJ that must be there."""
        reader = self._reader
        found: str | None = self._take(field, reader.cnpj if field == "emitter_cnpj" else reader.words)
        if not found and not self._is_blamed(field):
            self._blame("row.required", field)
        return found or ""

    def _value(self, name: str, kind: Kind) -> Value | None:
        reader = self._reader
        parsers = {"rate": reader.rate, "amount": self._amount, "yes_no": reader.yes_no}
        found: Value | None = self._take(name, parsers.get(kind, reader.words))
        return None if found == "" else found

    def _amount(self, cell: Cell, field: str) -> int | Problem:
        found = self._reader.amount(cell, field)
        if isinstance(found, int) and found < 0:
            return Problem("amount.out_of_range", params={"amount": figures.shown(cell)})
        return found


def read_master(
    workbook: Workbook, layout: Layout, taking: type[MasterTaking], *, cities: Cities, sheet: str | None = None
) -> list[MasterRow]:
    """Every row below the header in file order. Raises `LayoutError` where the file as a whole is not understood."""
    header = find_header(workbook, layout, sheet=sheet)
    reader = SheetReader(
        sheet=header.sheet.name,
        columns=header.columns,
        locales=_locales(header, taking.fields),
        defaults=Defaults(),
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    rows = [_read(taking(reader, row), row) for row in rows_below(header)]
    if not rows:
        raise LayoutError(Problem("sheet.no_records", None, Where(sheet=header.sheet.name, row=header.row)))
    return rows


def _read(taking: MasterTaking, row: Row) -> MasterRow:
    key, said = taking.key(), taking.said()
    problems = taking.in_column_order()
    return MasterRow(row.number, () if problems else key, {} if problems else said, problems)


def _locales(header: Header, fields: Mapping[str, Field]) -> dict[str, str | None]:
    """How each column of figures writes its numbers."""
    asked = [name for name, field in fields.items() if field.kind in ("rate", "amount") and name in header.columns]
    return {name: figures.locale_of(_texts(header, header.columns[name])) for name in asked}


def _texts(header: Header, index: int) -> Iterator[str]:
    for row in rows_below(header):
        if index < len(row.cells) and isinstance(cell := row.cells[index], str):
            yield cells.as_text(cell)
