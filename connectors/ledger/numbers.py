"""RPS numbers: (emitter, serie, number) belongs for ever to one invoice and one content digest.

The serie's counter gives numbers in order, in the transaction that plans a batch. When an invoice dies, its number is
retired (`transitions`) and never given to another invoice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables, transitions
from connectors.ledger.database.conflicts import insert_unless_known
from connectors.ledger.database.sql import Statement, is_in, param
from domain.problems import FaturistaError, IllegalTransition, Problem
from domain.states import InvoiceState

_t = tables.series
_notes = tables.invoices
_ON_THEIR_WAY = [str(InvoiceState.POSTING), str(InvoiceState.IN_DOUBT)]


@dataclass(frozen=True, slots=True)
class SerieRecord:
    """A serie whose numbers from `first_number` on belong to this system alone.

    `highest_posted` is the highest number of which a byte may have been sent to the issuer; 0: none.
    """

    id: int
    emitter_id: int
    serie: str
    first_number: int
    next_number: int
    highest_posted: int
    started_by: str


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A number whose invoice is dead, although the number is not retired."""

    number: int
    invoice_id: int
    state: str


def start_serie(conn: sa.Connection, emitter_id: int, serie: str, *, start: int, by: str) -> SerieRecord:
    """Start a serie at the number `start`, or move an existing serie forward to it, never back. Return the serie."""
    if start < 1:
        raise ValueError("RPS numbers begin at 1")
    conn.execute(
        insert_unless_known(conn, _t).values(
            emitter_id=emitter_id, serie=serie, first_number=start, next_number=start, started_by=by
        )
    )
    conn.execute(
        sa.update(_t)
        .where(_t.c.emitter_id == emitter_id, _t.c.serie == serie, _t.c.next_number < start)
        .values(first_number=start, next_number=start, started_by=by)
    )
    started = serie_of(conn, emitter_id, serie)
    assert started is not None
    return started


def serie_of(conn: sa.Connection, emitter_id: int, serie: str) -> SerieRecord | None:
    """Return the serie, or None when it was never started."""
    query = sa.select(_t).where(_t.c.emitter_id == emitter_id, _t.c.serie == serie)
    found = conn.execute(query).one_or_none()
    return None if found is None else SerieRecord(*found)


def reserve(
    conn: sa.Connection, emitter_id: int, serie: str, invoice_ids: Sequence[int], *, batch_id: int
) -> list[tuple[int, int]]:
    """Put drafted invoices into a planned batch, with the serie's next numbers in this order.

    Return (invoice id, number) of each. One update of each invoice sets batch, number and the state `reserved`. Raises
    `FaturistaError` (`serie.not_started`), and `IllegalTransition` when one of them belongs to another emitter or is
    not drafted any more: then the caller's transaction must roll back.
    """
    if not invoice_ids:
        return []
    following = conn.execute(
        sa.update(_t)
        .where(_t.c.emitter_id == emitter_id, _t.c.serie == serie)
        .values(next_number=_t.c.next_number + len(invoice_ids))
        .returning(_t.c.next_number)
    ).scalar_one_or_none()
    if following is None:
        raise FaturistaError(Problem("serie.not_started", params={"serie": serie}))
    pairs = list(zip(invoice_ids, range(following - len(invoice_ids), following), strict=True))
    moved = transitions.move(
        conn,
        invoice_ids,
        was=InvoiceState.DRAFTED,
        becomes=InvoiceState.RESERVED,
        because=f"serie {serie} reserved",
        change=_RESERVATION,
        given=pairs,
        serie=serie,
        batch=batch_id,
        emitter=emitter_id,
    )
    if len(moved) != len(pairs):
        params: dict[str, str | int] = {"entity": "invoice", "was": "?", "becomes": InvoiceState.RESERVED}
        raise IllegalTransition(Problem("state.illegal_move", params=params))
    columns = ["emitter_id", "serie", "number", "invoice_id", "digest"]
    recorded = sa.select(_notes.c.emitter_id, _notes.c.serie, _notes.c.number, _notes.c.id, _notes.c.digest)
    conn.execute(sa.insert(tables.numbers).from_select(columns, recorded.where(is_in(conn, _notes.c.id, moved))))
    return pairs


def _number_values(_conn: sa.Connection, given: sa.FromClause) -> dict[str, Any]:
    return {"serie": param("serie", sa.Text), "number": given.c.number, "batch_id": param("batch", sa.BigInteger)}


_RESERVATION: Final = transitions.Change(
    _notes,
    # `+ 0` keeps SQLite from using the emitter's index: it would compare every invoice with every given one.
    only_where=sa.and_(_notes.c.emitter_id + 0 == param("emitter", sa.BigInteger), _notes.c.number.is_(None)),
    given={"id": sa.BigInteger(), "number": sa.BigInteger()},
    news=_number_values,
)


def mark_posted(conn: sa.Connection, invoice_ids: Sequence[int]) -> None:
    """Raise `highest_posted` of each serie to the highest number of these invoices, before a byte is sent."""
    _raise_series(conn, notes=invoice_ids)


def mark_posted_statement(conn: sa.Connection, notes: sa.FromClause) -> sa.Update:
    """Return the update of `mark_posted` as a part of another statement. `notes.id` has the invoices' ids.

    The caller binds `ids`, all ids that `notes` may have, to that statement. Without `ids`, PostgreSQL may overestimate
    the rows of `notes` and read all numbers.
    """
    invoice_id = tables.numbers.c.invoice_id
    is_posted = sa.and_(is_in(conn, invoice_id, param("ids")), invoice_id.in_(sa.select(notes.c.id)))
    return _raise_highest(is_posted)


@Statement
def _raise_series(conn: sa.Connection) -> sa.Update:
    return _raise_highest(is_in(conn, tables.numbers.c.invoice_id, param("notes")))


def _raise_highest(is_posted: sa.ColumnElement[bool]) -> sa.Update:
    numbers = tables.numbers
    top = (
        sa.select(numbers.c.emitter_id, numbers.c.serie, sa.func.max(numbers.c.number).label("number"))
        .where(is_posted)
        .group_by(numbers.c.emitter_id, numbers.c.serie)
        .subquery("top")
    )
    return (
        sa.update(_t)
        .where(_t.c.emitter_id == top.c.emitter_id, _t.c.serie == top.c.serie, _t.c.highest_posted < top.c.number)
        .values(highest_posted=top.c.number)
    )


def is_ours(conn: sa.Connection, emitter_id: int, serie: str, number: int, *, remote_id: int) -> bool | None:
    """Return whether the provider's invoice `remote_id`, shown with this number, is ours.

    None: unknown, because a living invoice of ours with this number has no answer yet, or one with a later number is
    being posted.
    """
    table = tables.invoices
    known = sa.select(table.c.id).where(table.c.remote_id == remote_id, table.c.emitter_id == emitter_id)
    if conn.execute(known).first() is not None:
        return True
    # What the provider shows may lag behind our posts: the id may be that of an invoice with a later number.
    on_its_way = sa.and_(table.c.number > number, table.c.state.in_(_ON_THEIR_WAY))
    bearer = sa.select(table.c.id).where(
        table.c.emitter_id == emitter_id,
        table.c.serie == serie,
        table.c.remote_id.is_(None),
        table.c.is_living,
        sa.or_(table.c.number == number, on_its_way),
    )
    return False if conn.execute(bearer).first() is None else None


def foreign_ids(conn: sa.Connection, emitter_id: int, serie: str, shown: Mapping[int, int]) -> list[int]:
    """Return the ids in `shown` of invoices that are not ours. `shown`: the provider's id → number of the serie.

    Leave out numbers below the serie's first number, and ids of which `is_ours` is unknown.
    """
    table = tables.invoices
    first = sa.select(_t.c.first_number).where(_t.c.emitter_id == emitter_id, _t.c.serie == serie)
    begin = conn.execute(first).scalar() or 1
    known = sa.select(table.c.remote_id).where(table.c.emitter_id == emitter_id, table.c.remote_id.in_(shown))
    ours = set(conn.execute(known).scalars())
    return [
        remote_id
        for remote_id, number in sorted(shown.items())
        if remote_id not in ours
        and number >= begin
        and is_ours(conn, emitter_id, serie, number, remote_id=remote_id) is False
    ]


def audit_below(conn: sa.Connection, emitter_id: int, serie: str, up_to: int) -> list[Unexplained]:
    """Return the numbers up to `up_to` of dead invoices that are not retired; should be empty."""
    invoices, numbers = tables.invoices, tables.numbers
    query = (
        sa.select(invoices.c.number, invoices.c.id, invoices.c.state)
        .select_from(invoices.outerjoin(numbers, numbers.c.invoice_id == invoices.c.id))
        # Use the index of dead invoices, because nearly all invoices are living.
        .where(invoices.c.is_living == sa.false(), invoices.c.emitter_id == emitter_id, invoices.c.serie == serie)
        .where(invoices.c.number <= up_to, numbers.c.retired_at.is_(None))
        .order_by(invoices.c.number)
    )
    return [Unexplained(*row) for row in conn.execute(query)]


def wrong_digests(conn: sa.Connection, batch_id: int) -> list[int]:
    """Return the batch's living invoices whose number is retired or not stored with their digest; should be empty."""
    invoices, numbers = tables.invoices, tables.numbers
    same = sa.and_(
        numbers.c.invoice_id == invoices.c.id,
        numbers.c.emitter_id == invoices.c.emitter_id,
        numbers.c.serie == invoices.c.serie,
        numbers.c.number == invoices.c.number,
        numbers.c.digest == invoices.c.digest,
        numbers.c.retired_at.is_(None),
    )
    query = (
        sa.select(invoices.c.id)
        .select_from(invoices.outerjoin(numbers, same))
        .where(invoices.c.batch_id == batch_id, invoices.c.is_living, numbers.c.invoice_id.is_(None))
        .order_by(invoices.c.id)
    )
    return list(conn.execute(query).scalars())
