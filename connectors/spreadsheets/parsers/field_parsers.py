"""Parse the cell of each common field into its typed value, or into a Problem."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.parsers.column_parser import Parse
from connectors.spreadsheets.parsers.named_documents import document_in, name_beside
from domain.competence import may_write_month_first
from domain.documents import DocumentKind, ParsedDocument, parse_document
from domain.problems import Problem

TAKER_WORDS: Final = ("name", "fancy_name", "city_inscription", "state_inscription", "street", "number", "complement",
                      "neighborhood")  # fmt: skip


DocumentCell: TypeAlias = tuple[DocumentKind, str, bool]
"""Kind, number, and whether lost zeros were restored. A column remembers thousands of them, and the garbage collector
visits a plain tuple of texts only once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Values for rows without their own: the emitter's CNPJ, the first day of the competence, the template.

    `takes_hidden_rows`: bill a hidden or filtered row like any other, else hold it. `prints_notes`: print internal
    notes (`Obs`) on the invoice. `template_code` is the code of the remark that names the source of `template_name`.
    """

    emitter_cnpj: str | None = None
    competence: date | None = None
    takes_hidden_rows: bool = False
    template_name: str | None = None
    template_code: str = "template.by_option"
    prints_notes: bool = False


def document_cell(found: ParsedDocument) -> DocumentCell:
    """Return a parsed document in the form that a column remembers."""
    return found.document.kind, found.document.number, found.is_repaired


@dataclass(slots=True, kw_only=True)
class FieldParsers:
    """The parsers of common fields. Each takes a cell and the name of its field.

    `locales` are number notations by field. `has_serials`: a bare number in a date column may count days from 1900.
    """

    locales: Mapping[str, str | None]
    defaults: Defaults
    has_serials: bool

    def taker_parsers(self) -> dict[str, Parse]:
        """Return the parsers of the fields that describe a customer."""
        return dict.fromkeys((*TAKER_WORDS, "city_code", "city"), self.words) | {
            "document": self.document,
            "emails": self.emails,
            "phone": self.phone,
            "zip_code": self.zip_code,
            "state": self.state,
        }

    def joined_parsers(self) -> dict[str, Parse]:
        """Return the parsers of name and document where one column has both."""
        return {"document": self.document_within, "name": self.name_beside}

    def document_within(self, cell: Cell, field: str) -> DocumentCell | Problem | None:
        text = cells.as_text(cell)
        found = document_in(text)
        if found is None and not any(map(str.isdigit, text)):
            return None
        return self.document(text if found is None else found, field)

    def name_beside(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(name_beside(cells.as_text(cell)), field)

    def amount(self, cell: Cell, field: str) -> int | Problem:
        return number_parser.parse_amount(cell, self.locales.get(field))

    def optional_amount(self, cell: Cell, field: str) -> int | Problem | None:
        """Return an amount in cents, or None for a dash: most rows do not have the amount."""
        is_none = isinstance(cell, str) and cells.says_nothing(cell)
        return None if is_none else self.amount(cell, field)

    def rate(self, cell: Cell, field: str) -> int | Problem:
        return number_parser.parse_rate(cell, self.locales.get(field))

    def figure(self, cell: Cell, field: str) -> Decimal | Problem:
        return number_parser.parse_decimal_figure(cell, self.locales.get(field))

    def month(self, cell: Cell, field: str) -> date | Problem:
        if self._has_two_days(cell, field):
            return Problem("date.month_first", field, params={"text": cells.as_text(cell)[:30]})
        return cells.parse_month(cell, has_serials=self.has_serials, near=self.defaults.competence)

    def instant(self, cell: Cell, field: str) -> datetime | Problem | None:
        if self._has_two_days(cell, field):
            return Problem("date.month_first", field, params={"text": cells.as_text(cell)[:30]})
        return cells.parse_instant(cell, has_serials=self.has_serials)

    def _has_two_days(self, cell: Cell, field: str) -> bool:
        """Return whether a date may mean two days in a column that elsewhere writes the month first."""
        is_either = self.locales.get(field) == number_parser.MONTH_FIRST
        return is_either and isinstance(cell, str) and may_write_month_first(cell)

    def document(self, cell: Cell, _: str) -> DocumentCell | Problem:
        found = parse_document(cells.as_text(cell))
        return found if isinstance(found, Problem) else document_cell(found)

    def document_number(self, cell: Cell, _: str) -> str | Problem:
        found = parse_document(cells.as_text(cell))
        return found if isinstance(found, Problem) else found.document.number

    def cnpj(self, cell: Cell, field: str) -> str | Problem:
        found = parse_document(cells.as_text(cell))
        if isinstance(found, Problem):
            return found
        if found.document.kind != "cnpj":
            return Problem("document.invalid", field)
        return found.document.number

    def yes_no(self, cell: Cell, _: str) -> bool | Problem:
        return cells.parse_yes_no(cell)

    def emails(self, cell: Cell, _: str) -> tuple[str, ...] | Problem:
        return cells.parse_emails(cell)

    def phone(self, cell: Cell, _: str) -> str | Problem | None:
        return cells.parse_phone(cell)

    def zip_code(self, cell: Cell, _: str) -> str | Problem | None:
        return cells.parse_zip_code(cell)

    def state(self, cell: Cell, _: str) -> str | Problem:
        return cells.parse_state(cell)

    def words(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(cell, field)

    def paragraph(self, cell: Cell, field: str) -> str | Problem:
        return cells.parse_text(cell, field, keep_lines=True)
