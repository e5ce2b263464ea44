"""Find all data about one person in the ledger, by CPF or CNPJ.

Rows of unresolved parties and of product invoices have no link to a taker, so the texts of all such rows are searched:
a slow scan, acceptable for a person's request.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.journal import journal_subjects
from connectors.ledger.mirror import tables as mirror
from domain.documents import Document, parse_document, possible_documents
from domain.problems import Problem
from domain.states import Entity, InvoiceState

_AT_ONCE: Final = 1_000
_rows, _invoices = tables.rows, tables.invoices
Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Holdings:
    """The data about one person: rows by table, each as a mapping by column."""

    tables: Mapping[str, Sequence[Line]]

    def ids(self, table: str) -> list[int]:
        return [line["id"] for line in self.tables[table]]

    @property
    def is_empty(self) -> bool:
        return not any(self.tables.values())

    @property
    def never_billed(self) -> list[Line]:
        """Return the rows without an invoice of their own or of the row that leads them."""
        billed = {invoice["row_id"] for invoice in self.tables["invoices"]}
        return [row for row in self.tables["rows"] if not {row["id"], row["leader_id"]} & billed]

    @property
    def issued(self) -> list[Line]:
        """Invoices that a city or a tax authority accepted, cancelled ones included."""
        issued = (InvoiceState.ACCEPTED, InvoiceState.CANCELLING, InvoiceState.CANCELLED, InvoiceState.REPLACED)
        kept = {str(state) for state in issued}
        return [invoice for invoice in self.tables["invoices"] if invoice["state"] in kept]

    @property
    def mirrored(self) -> int:
        """Return how many rows of the mirror are about the person."""
        return sum(len(self.tables[table.name]) for table in (mirror.orders, mirror.paid_invoices, mirror.clashes))


def holdings_of(conn: sa.Connection, document: Document) -> Holdings:
    """Return all data about the person in this snapshot of the ledger."""
    takers = _lines(conn, tables.takers, tables.takers.c.document == document.number)
    taker_ids = [taker["id"] for taker in takers]
    found = [*_lines(conn, _rows, is_in(conn, _rows.c.taker_id, taker_ids)), *_unlinked_rows(conn, document)]
    led = _lines(conn, _rows, is_in(conn, _rows.c.leader_id, [row["id"] for row in found]))
    rows = sorted({row["id"]: row for row in (*found, *led)}.values(), key=lambda row: int(row["id"]))
    row_ids = [row["id"] for row in rows]
    is_theirs = sa.or_(is_in(conn, _invoices.c.taker_id, taker_ids), is_in(conn, _invoices.c.row_id, row_ids))
    invoices = _lines(conn, _invoices, is_theirs)
    invoice_ids = [invoice["id"] for invoice in invoices]
    return Holdings(
        {
            "takers": takers,
            "contracts": _lines(conn, tables.contracts, tables.contracts.c.document == document.number),
            "emitters": _lines(conn, tables.emitters, tables.emitters.c.cnpj == document.number),
            "files": _lines(conn, tables.files, is_in(conn, tables.files.c.id, {row["file_id"] for row in rows})),
            "rows": rows,
            "invoices": invoices,
            "numbers": _lines(conn, tables.numbers, is_in(conn, tables.numbers.c.invoice_id, invoice_ids)),
            "attempts": _lines(conn, tables.attempts, is_in(conn, tables.attempts.c.invoice_id, invoice_ids)),
            "cancellations": _lines(
                conn, tables.cancellations, is_in(conn, tables.cancellations.c.invoice_id, invoice_ids)
            ),
            "documents": _lines(conn, tables.documents, is_in(conn, tables.documents.c.invoice_id, invoice_ids)),
            "incidents": _lines(conn, tables.incidents, is_in(conn, tables.incidents.c.invoice_id, invoice_ids)),
            "events": _events(conn, {Entity.ROW: row_ids, Entity.INVOICE: invoice_ids}),
            **{table.name: _mirrored_lines(conn, table, document) for table in (mirror.orders, mirror.paid_invoices)},
            mirror.clashes.name: _clashes(conn, document),
        }
    )


def _lines(conn: sa.Connection, table: sa.Table, condition: sa.ColumnElement[bool]) -> list[Line]:
    query = sa.select(table).where(condition).order_by(*table.primary_key.columns)
    return [dict(row) for row in conn.execute(query).mappings()]


def _unlinked_rows(conn: sa.Connection, document: Document) -> Iterator[Line]:
    query = sa.select(_rows).where(_rows.c.taker_id.is_(None)).execution_options(yield_per=_AT_ONCE)
    for row in conn.execute(query).mappings():
        line = dict(row)
        if _is_of(line, document):
            yield line


def _is_of(row: Line, document: Document) -> bool:
    line = row["line"] or {}
    stored = (line.get("taker") or {}).get("document")
    if stored is not None:
        return bool(stored[1] == document.number)
    if line.get("unclear_document"):
        return document in possible_documents(line["unclear_document"])
    return any(_means(text, document) for text in _texts(row["cells"]))


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        return (text for each in value.values() for text in _texts(each))
    if isinstance(value, list):
        return (text for each in value for text in _texts(each))
    if isinstance(value, int | float) and not isinstance(value, bool):
        # A number cell may contain a CPF or CNPJ.
        return (f"{value:.0f}",)
    return (value,) if isinstance(value, str) else ()


def _means(text: str, document: Document) -> bool:
    """Return whether a cell's text contains the document, or is the document without its leading zeros."""
    if document.number in text or document.formatted in text:
        return True
    parsed = parse_document(text)
    return not isinstance(parsed, Problem) and parsed.document == document


def _events(conn: sa.Connection, ids: Mapping[Entity, Sequence[int]]) -> list[Line]:
    table = tables.events
    # An entry may cover other people's rows, too: return only the ids of this person's.
    columns = tuple(
        table.c[name] for name in ("id", "entity", "was", "becomes", "because", "is_observed", "fence", "at")
    )
    found: list[Line] = []
    for kind, some in ids.items():
        asked, is_theirs = journal_subjects(conn, kind, some)
        query = sa.select(*columns, asked.c.id.label("entity_id")).select_from(asked.join(table, is_theirs))
        found += [dict(row) for row in conn.execute(query).mappings()]
    return sorted(found, key=lambda line: (int(line["id"]), int(line["entity_id"])))


def _mirrored_lines(conn: sa.Connection, table: sa.Table, document: Document) -> list[Line]:
    return _lines(conn, table, table.c.client_document.in_((document.number, document.formatted)))


def _clashes(conn: sa.Connection, document: Document) -> list[Line]:
    table = mirror.clashes
    mentions = [
        sa.cast(column, sa.Text).contains(text, autoescape=True)
        for column in (table.c.ours, table.c.theirs)
        for text in (document.number, document.formatted)
    ]
    return _lines(conn, table, sa.or_(*mentions))
