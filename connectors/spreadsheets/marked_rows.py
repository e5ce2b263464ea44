"""Parse rows that a person marked in an outcome workbook: which invoice each row names, and why it was marked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.layouts import Layout, find_header
from connectors.spreadsheets.parsers.city_lookup import Cities
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.parsers.field_parsers import Defaults
from connectors.spreadsheets.readings import blocks_below
from connectors.spreadsheets.row_parser import RowValues, SheetReader
from domain.invoice_numbers import read_place
from domain.problems import Problem

_LONGEST_ID: Final = 18


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One marked row: the invoice's identifiers and the reason, or the row's problems."""

    number: int
    reason: str = ""
    rps: tuple[str, int] | None = None
    nfse_number: str | None = None
    remote_id: int | None = None
    emitter_cnpj: str | None = None
    problems: tuple[Problem, ...] = ()


R = TypeVar("R", bound=MarkedRow)


@dataclass(slots=True, kw_only=True)
class MarkedReader(SheetReader, Generic[R]):
    """The base class of readers of marked rows."""

    def read(self, row_values: RowValues) -> R | None:
        """Return a marked row, or None for a row without a mark."""
        raise NotImplementedError

    def naming_parsers(self) -> Mapping[str, Parse]:
        """Return the parsers of the columns that name an invoice."""
        return {"emitter_cnpj": self.cnpj, **dict.fromkeys(("rps", "nfse_number", "remote_id"), self.words)}

    @staticmethod
    def is_marked(row_values: RowValues, mark: str) -> bool:
        """Return whether the row has a mark, also an unreadable one."""
        return row_values.values.get(mark) is True or any(each.field == mark for each in row_values.problems)

    @staticmethod
    def named(row_values: RowValues, *, reason: str) -> dict[str, Any]:
        """Return the fields of `MarkedRow` without its number; only `problems` if the row has any."""
        values = row_values.values
        rps = read_place(values.get("rps") or "")
        remote_id = values.get("remote_id") or ""
        if values.get("rps") and rps is None:
            row_values.add_problem("cancel.rps_unreadable", "rps", text=values["rps"][:20])
        if remote_id and not (remote_id.isdecimal() and len(remote_id) <= _LONGEST_ID):
            row_values.add_problem("cancel.id_unreadable", "remote_id", text=remote_id[:20])
        if not any(values.get(name) for name in ("rps", "nfse_number", "remote_id")):
            row_values.add_problem("cancel.row_names_nothing", None)
        if not values.get(reason):
            row_values.require(reason, "row.required")
        problems = row_values.in_column_order()
        if problems:
            return {"problems": problems}
        return {
            "reason": values[reason],
            "rps": rps,
            "nfse_number": values.get("nfse_number"),
            "remote_id": int(remote_id) if remote_id else None,
            "emitter_cnpj": values.get("emitter_cnpj"),
        }


def read_marked(
    kind: type[MarkedReader[R]], workbook: Workbook, layout: Layout, *, cities: Cities, sheet: str | None
) -> list[R]:
    """Return the marked rows in file order. Raises `InputError` if the file cannot be understood."""
    header = find_header(workbook, layout, sheet=sheet)
    reader = kind(
        sheet=header.sheet.name,
        columns=header.columns,
        locales={},
        # people filter the list to find rows, so a mark in a hidden row counts
        defaults=Defaults(takes_hidden_rows=True),
        cities=cities,
        has_serials=workbook.facts.get("dates_from") != "1904",
    )
    parsed_rows = (row_values for block in blocks_below(header, ()) for row_values in reader.take(block))
    return [found for row_values in parsed_rows if (found := reader.read(row_values)) is not None]
