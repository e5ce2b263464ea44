"""Query the living invoices of months, for the comparison with the month before in a preview."""

from collections.abc import Collection
from datetime import date
from typing import Any

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from domain.forecasts.month_comparison import BilledNote
from domain.states import LIVING, InvoiceState


def billed_in(
    conn: sa.Connection, emitter_ids: Collection[int], months: Collection[date], *, leaving_out: Collection[int] = ()
) -> list[BilledNote]:
    """Return the living invoices of these emitters and competences (each the first of a month), oldest first.

    Leave out the ids in `leaving_out`, and an invoice that another living invoice replaces.
    """
    notes = tables.invoices
    query = _select_living(conn).where(
        is_in(conn, notes.c.emitter_id, emitter_ids), notes.c.competence.in_(sorted(months))
    )
    return [_billed_note(row) for row in conn.execute(query.where(~is_in(conn, notes.c.id, leaving_out)))]


def billed_by(conn: sa.Connection, reading_id: int, *, emitter_id: int, competence: date) -> list[BilledNote]:
    """Return the living invoices in one reading's batches for an emitter and a month, oldest first.

    Leave out an invoice that another living invoice replaces.
    """
    notes, batches, earlier = tables.invoices, tables.batches, tables.invoices.alias("earlier")
    was_cancelled = sa.exists().where(
        earlier.c.business_key == notes.c.business_key, earlier.c.state == str(InvoiceState.CANCELLED)
    )
    query = _select_living(conn).add_columns(was_cancelled.label("was_cancelled"))
    query = query.join(batches, batches.c.id == notes.c.batch_id)
    is_theirs = sa.and_(notes.c.emitter_id == emitter_id, notes.c.competence == competence)
    return [_billed_note(row) for row in conn.execute(query.where(is_theirs, batches.c.reading_id == reading_id))]


def _select_living(conn: sa.Connection) -> sa.Select[Any]:
    notes, emitters = tables.invoices, tables.emitters
    takers, templates = tables.takers, tables.templates
    living = sorted(map(str, LIVING - {InvoiceState.REPLACED}))
    successors = notes.alias("successor")
    is_being_replaced = sa.exists().where(successors.c.replaces_id == notes.c.id, successors.c.state.in_(living))
    return (
        sa.select(
            notes.c.id,
            notes.c.taker_id,
            notes.c.batch_id,
            emitters.c.kind,
            emitters.c.cnpj,
            emitters.c.name,
            notes.c.competence,
            takers.c.document,
            takers.c.name.label("taker_name"),
            templates.c.name.label("template"),
            notes.c.service_cents,
        )
        .join(emitters, emitters.c.id == notes.c.emitter_id)
        .join(takers, takers.c.id == notes.c.taker_id, isouter=True)
        .join(templates, templates.c.id == notes.c.template_id, isouter=True)
        # An invoice and the one that replaces it bill one charge.
        .where(is_in(conn, notes.c.state, living), ~is_being_replaced)
        .order_by(notes.c.id)
    )


def _billed_note(row: Any) -> BilledNote:
    return BilledNote(
        kind=row.kind,
        emitter_cnpj=row.cnpj,
        emitter_name=row.name,
        competence=row.competence,
        taker_document=row.document,
        taker_name=row.taker_name or "",
        template=row.template,
        service_cents=row.service_cents,
        taker_id=row.taker_id,
        invoice_id=row.id,
        batch_id=row.batch_id,
        was_cancelled=getattr(row, "was_cancelled", False),
    )
