"""The living invoices of some months, for the comparison in a preview."""

from collections.abc import Collection
from datetime import date

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from domain.forecasts.months import BilledNote
from domain.states import LIVING


def billed_in(
    conn: sa.Connection, emitter_ids: Collection[int], months: Collection[date], *, leaving_out: Collection[int] = ()
) -> list[BilledNote]:
    """Return the living invoices of these emitters and competences (each the first of a month), oldest first.

    Leave out the invoices with the ids in `leaving_out`.
    """
    notes, emitters = tables.invoices, tables.emitters
    takers, templates = tables.takers, tables.templates
    query = (
        sa.select(
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
        .where(is_in(conn, notes.c.emitter_id, emitter_ids), notes.c.competence.in_(sorted(months)))
        .where(is_in(conn, notes.c.state, sorted(map(str, LIVING))))
        .where(~is_in(conn, notes.c.id, leaving_out))
        .order_by(notes.c.id)
    )
    return [
        BilledNote(
            kind=row.kind,
            emitter_cnpj=row.cnpj,
            emitter_name=row.name,
            competence=row.competence,
            taker_document=row.document,
            taker_name=row.taker_name or "",
            template=row.template,
            service_cents=row.service_cents,
        )
        for row in conn.execute(query)
    ]
