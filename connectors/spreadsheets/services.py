"""Rows of a services workbook as typed lines, each with every problem it has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from connectors.spreadsheets.layouts import Layout
from connectors.spreadsheets.workbook import FileKind, Workbook
from domain.problems import Problem

if TYPE_CHECKING:
    from domain.services import ServiceLine


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRow:
    """One row of the sheet. `cells` are JSON values by column letter; `line` is None exactly when `problems` are."""

    sheet: str
    row_number: int
    cells: Mapping[str, Any]
    line: "ServiceLine | None"
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that is used: field, letter, the header as written, and how its numbers are read (`pt_BR`, `en_US`)."""

    field: str
    letter: str
    header: str
    numbers: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What was made of the file, complete before the first row is taken. Amounts in cents.

    `declared_cents` is the total row's own figure, `computed_cents` the sum of every readable amount, good row or not.
    """

    kind: FileKind
    sheet: str
    header_row: int
    columns: tuple[Column, ...]
    unused: Mapping[str, str]
    row_count: int
    hidden_rows: tuple[int, ...]
    ignored_rows: tuple[int, ...]
    declared_cents: int | None
    computed_cents: int
    warnings: tuple[Problem, ...]
    facts: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """A shape for the ledger."""
        raise NotImplementedError


class City(Protocol):
    """A municipality as the reference table knows it."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def uf(self) -> str: ...


class Cities(Protocol):
    """The reference table, passed in: this package has no reference data of its own."""

    def by_code(self, code: str) -> City | None: ...
    def by_name(self, name: str, uf: str | None) -> Sequence[City]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds for rows that do not say it themselves: the emitter's CNPJ, the competence's first day."""

    emitter_cnpj: str | None = None
    competence: date | None = None


class ServicesReading:
    """A file understood: `understood` at once, the rows as a stream that may be started again."""

    understood: Understood

    def rows(self) -> Iterator[ReadRow]:
        """Rows in file order; the header, blank rows and total rows are not among them."""
        raise NotImplementedError


def read_services(
    workbook: Workbook, layout: Layout, *, defaults: Defaults, cities: Cities, sheet: str | None = None
) -> ServicesReading:
    """Find the header, survey the columns, compare the control total.

    `sheet` names the one to read when several have a header. Raises `LayoutError` when the file cannot be understood
    as a whole; whatever is wrong with one row travels with that row.
    """
    raise NotImplementedError
