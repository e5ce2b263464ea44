"""Query the numbers of a serie, each with the state that explains it, for the number audit."""

from collections.abc import Iterable, Iterator
from typing import Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.numbers import SerieRecord
from domain.number_audit import NumberLine, explanation_of
from domain.states import InvoiceState

_t = tables.series
_OF_OTHER: Final = ("id", "serie", "number")


def series_of(conn: sa.Connection, emitter_id: int | None = None) -> list[SerieRecord]:
    """Return the series of one emitter, or of all emitters (None)."""
    query = sa.select(_t).order_by(_t.c.emitter_id, _t.c.serie)
    if emitter_id is not None:
        query = query.where(_t.c.emitter_id == emitter_id)
    return [SerieRecord(*row) for row in conn.execute(query)]


def holds_any(conn: sa.Connection, issuer: str, remote_ids: Iterable[int]) -> bool:
    """Return whether an invoice in the ledger has one of these ids of the issuer."""
    notes = tables.invoices
    query = sa.select(notes.c.id).where(notes.c.issuer == issuer, is_in(conn, notes.c.remote_id, list(remote_ids)))
    return conn.execute(query.limit(1)).first() is not None


def numbers_of(conn: sa.Connection, emitter_id: int, serie: str) -> list[NumberLine]:
    """Return all numbers of the serie that were given to an invoice, ascending."""
    return list(_lines(conn, emitter_id, serie))


def _lines(conn: sa.Connection, emitter_id: int, serie: str) -> Iterator[NumberLine]:
    numbers, notes = tables.numbers, tables.invoices
    # A charge has at most one living invoice, so that each join adds at most one row to a number.
    by_origin, by_key = notes.alias("by_origin"), notes.alias("by_key")
    numbers_and_invoices = numbers.join(notes, notes.c.id == numbers.c.invoice_id)
    for successor, name in ((by_origin, "origin_id"), (by_key, "business_key")):
        is_successor = sa.and_(
            notes.c.is_living == sa.false(),
            successor.c[name] == notes.c[name],
            successor.c.id > notes.c.id,
            successor.c.is_living == sa.true(),
        )
        numbers_and_invoices = numbers_and_invoices.outerjoin(successor, is_successor)
    query = (
        sa.select(
            numbers.c.number,
            numbers.c.retired_because,
            notes.c.id,
            notes.c.state,
            notes.c.remote_id,
            notes.c.nfse_number,
            notes.c.errors,
            *(sa.func.coalesce(by_origin.c[name], by_key.c[name]).label(f"other_{name}") for name in _OF_OTHER),
        )
        .select_from(numbers_and_invoices)
        .where(numbers.c.emitter_id == emitter_id, numbers.c.serie == serie)
        .order_by(numbers.c.number)
    )
    for row in conn.execute(query):
        state = InvoiceState(row.state)
        is_replaced = row.other_id is not None
        has_number = is_replaced and row.other_number is not None
        yield NumberLine(
            number=row.number,
            explanation=explanation_of(state, is_replaced=is_replaced, is_retired=row.retired_because is not None),
            state=state,
            invoice_id=row.id,
            remote_id=row.remote_id,
            nfse_number=row.nfse_number,
            because=row.retired_because or "",
            replaced_by=f"{row.other_serie}-{row.other_number}" if has_number else "",
            errors=tuple(row.errors),
        )
