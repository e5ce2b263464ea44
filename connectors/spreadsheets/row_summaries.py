"""Summarise a row of a sheet from the ledger's data, readable or refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from connectors.spreadsheets.parsers import cells, number_parser
from domain.documents import ParsedDocument, parse_document

_LENGTH: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSummary:
    """The content by which people recognise a row, even a refused one. The document is as written.

    `subject` is the template of a service row, the order of a product row.
    """

    service_cents: int | None
    taker_name: str | None
    taker_document: str | None
    subject: str | None
    description: str | None
    emitter_cnpj: str | None
    competence: date | None = None


def summarize(understood: Mapping[str, Any], row_cells: Mapping[str, Any], *, amount: str, subject: str) -> RowSummary:
    """Return the summary from `Understood.to_json()` and the row's cells by column letter.

    `amount` and `subject` are the fields of the row's amount and of its template or order.
    """
    columns = {column["field"]: column for column in understood["columns"]}

    def found(name: str) -> Any:
        cell = row_cells.get(columns[name]["letter"]) if name in columns else None
        return float(cell) if type(cell) is int else cell

    def text(name: str) -> str | None:
        return cells.as_text(found(name))[:_LENGTH] or None

    cents = number_parser.parse_amount(found(amount), columns[amount]["numbers"]) if amount in columns else None
    emitter = parse_document(text("emitter_cnpj") or understood.get("emitter_cnpj") or "")
    return RowSummary(
        service_cents=cents if isinstance(cents, int) else None,
        taker_name=text("name"),
        taker_document=text("document"),
        subject=text(subject),
        description=text("description"),
        emitter_cnpj=emitter.document.number if isinstance(emitter, ParsedDocument) else None,
    )
