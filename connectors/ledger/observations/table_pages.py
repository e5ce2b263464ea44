"""Read tables of the ledger as pages of tuples for data frames, with CNPJs and names instead of the ledger's ids.

Instants are microseconds since 1970, and the amounts of an invoice are JSON text: `tasks.frames` converts a whole page
at once, which is much cheaper than row by row.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in, is_sqlite
from connectors.ledger.journal import carried_state, is_about
from connectors.ledger.mirror import tables as mirror
from domain.states import Entity

T = TypeVar("T")
Page = Sequence[Sequence[Any]]

PAGE_ROWS: Final = 25_000
"""Default number of rows of a page, so that memory stays bounded."""


class TablePages:
    """Pages of one snapshot of the ledger."""

    def __init__(self, conn: sa.Connection) -> None:
        self._conn = conn

    def pages(
        self,
        table: str,
        *,
        competence: date | None = None,
        until_event: int | None = None,
        keys: Collection[str] | None = None,
        most: int = PAGE_ROWS,
    ) -> Iterator[Page]:
        """Yield the rows of a table by id, at most `most` at a time.

        Args:
            table: A key of `TABLES`.
            competence: Only invoices and batches of this month.
            until_event: Invoices with their states after this event of the journal; later invoices are left out.
            keys: Only invoices with one of these business keys.
            most: Rows of a page.
        """
        query, key = TABLES[table](self._conn, competence, until_event)
        if keys is not None:
            query = query.where(is_in(self._conn, tables.invoices.c.business_key, keys))
        query = query.add_columns(key).order_by(key).limit(most)
        after: int | None = None
        while True:
            page = self._conn.execute(query if after is None else query.where(key > after)).all()
            if page:
                yield [row[:-1] for row in page]
            if len(page) < most:
                return
            after = page[-1][-1]


def with_pages(conn: sa.Connection, use: Callable[[TablePages], T]) -> T:
    """Call `use` with one snapshot and return its result."""
    return use(TablePages(conn))


_Made = tuple[sa.Select[Any], sa.ColumnElement[int]]


def _of_content(conn: sa.Connection, name: str) -> sa.ColumnElement[Any]:
    """Return a text of an invoice's content as it was billed. The register of customers may have changed since."""
    content = tables.invoices.c.content
    parsed = sa.type_coerce(content, sa.JSON) if is_sqlite(conn) else sa.cast(content, sa.JSON)
    text: sa.ColumnElement[Any] = parsed[name].as_string()
    return text


def _instant(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.type_coerce(column, sa.BigInteger)


def _invoices(conn: sa.Connection, competence: date | None, until_event: int | None) -> _Made:
    t, emitters, templates = tables.invoices, tables.emitters, tables.templates
    events, batches = tables.events, tables.batches
    state: sa.ColumnElement[Any] = t.c.state
    if until_event is not None:
        held = sa.and_(is_about(Entity.INVOICE, t.c.id), events.c.id <= until_event)
        newest = sa.select(events.c.becomes).where(held).order_by(events.c.id.desc()).limit(1).scalar_subquery()
        # Every closing is later than the detached part of the journal, so that a carried state is old enough.
        state = sa.func.coalesce(newest, carried_state(Entity.INVOICE, t.c.id))
    query = (
        sa.select(
            t.c.id,
            t.c.row_id,
            t.c.batch_id,
            t.c.replaces_id,
            t.c.kind,
            t.c.issuer,
            state.label("state_then"),
            t.c.competence,
            emitters.c.cnpj,
            _of_content(conn, "taker_document"),
            _of_content(conn, "taker_name"),
            templates.c.name,
            t.c.serie,
            t.c.number,
            t.c.nfse_number,
            t.c.nfse_key,
            _instant(sa.func.coalesce(t.c.emission_at, batches.c.emission_at)),
            t.c.business_key,
            t.c.service_cents,
            t.c.liquid_cents,
            sa.cast(t.c.amounts, sa.Text),
        )
        .join(emitters, emitters.c.id == t.c.emitter_id)
        .join(batches, batches.c.id == t.c.batch_id, isouter=True)
        .join(templates, templates.c.id == t.c.template_id, isouter=True)
    )
    if competence is not None:
        query = query.where(t.c.competence == competence)
    if until_event is not None:
        query = query.where(state.is_not(None))
    return query, t.c.id


def _rows(_conn: sa.Connection, _competence: date | None, _until_event: int | None) -> _Made:
    t, emitters, takers, templates = tables.rows, tables.emitters, tables.takers, tables.templates
    query = (
        sa.select(
            t.c.id,
            t.c.file_id,
            t.c.reading_id,
            t.c.sheet,
            t.c.row_number,
            t.c.state,
            emitters.c.cnpj,
            takers.c.document,
            templates.c.name,
            t.c.business_key,
            t.c.run_competence,
            sa.cast(t.c.problems, sa.Text),
        )
        .join(emitters, emitters.c.id == t.c.emitter_id, isouter=True)
        .join(takers, takers.c.id == t.c.taker_id, isouter=True)
        .join(templates, templates.c.id == t.c.template_id, isouter=True)
    )
    return query, t.c.id


def _batches(_conn: sa.Connection, competence: date | None, _until_event: int | None) -> _Made:
    t, emitters, approvals = tables.batches, tables.emitters, tables.approvals
    is_valid = sa.and_(approvals.c.batch_id == t.c.id, approvals.c.void_at.is_(None))
    query = (
        sa.select(
            t.c.id,
            t.c.reading_id,
            t.c.kind,
            t.c.issuer,
            emitters.c.cnpj,
            t.c.competence,
            t.c.state,
            t.c["count"],
            t.c.total_cents,
            approvals.c.approver,
            _instant(approvals.c.approved_at),
            _instant(t.c.sent_at),
            _instant(t.c.closed_at),
        )
        .join(emitters, emitters.c.id == t.c.emitter_id)
        .join(approvals, is_valid, isouter=True)
    )
    return query if competence is None else query.where(t.c.competence == competence), t.c.id


def _paid_invoices(_conn: sa.Connection, _competence: date | None, _until_event: int | None) -> _Made:
    t = mirror.paid_invoices
    query = sa.select(
        t.c.id,
        t.c.plan_slug,
        t.c.number,
        t.c.plan_name,
        t.c.order_number,
        t.c.client_name,
        t.c.client_document,
        t.c.payment_method,
        t.c.amount_cents,
        t.c.total_cents,
        _instant(t.c.created_at),
        _instant(t.c.paid_at),
        t.c.charge_on,
        _instant(t.c.mirrored_at),
    )
    return query, t.c.id


def _orders(_conn: sa.Connection, _competence: date | None, _until_event: int | None) -> _Made:
    t = mirror.orders
    query = sa.select(
        t.c.plan_slug,
        t.c.number,
        t.c.account_uuid,
        t.c.client_name,
        t.c.client_document,
        t.c.amount_cents,
        t.c.charge_day,
        t.c.is_active,
        t.c.is_paid,
        t.c.is_trial,
        t.c.is_recurring,
        _instant(t.c.created_at),
        _instant(t.c.activated_at),
        _instant(t.c.active_until),
        _instant(t.c.next_payment_at),
    )
    return query, t.c.id


def _contracts(_conn: sa.Connection, _competence: date | None, _until_event: int | None) -> _Made:
    t = tables.contracts
    query = sa.select(
        t.c.ordinal, t.c.document, sa.cast(t.c.terms, sa.Text), _instant(t.c.changed_at), t.c.changed_by, t.c.because
    )
    return query, t.c.id


TABLES: Final[dict[str, Callable[[sa.Connection, date | None, int | None], _Made]]] = {
    "batches": _batches,
    "contracts": _contracts,
    "invoices": _invoices,
    "orders": _orders,
    "paid_invoices": _paid_invoices,
    "rows": _rows,
}
