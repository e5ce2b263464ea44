"""Find customers and emitters of unsent invoices: their data at the provider must not change before the send."""

from collections.abc import Collection

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.database.sql import is_in
from domain.states import InvoiceState

_UNSENT = sorted(
    str(state)
    for state in (
        InvoiceState.DRAFTED, InvoiceState.RESERVED, InvoiceState.POSTING, InvoiceState.CREATED, InvoiceState.IN_DOUBT,
        InvoiceState.UNRESOLVED,
    )
)  # fmt: skip


def unsent_takers(conn: sa.Connection, documents: Collection[str]) -> set[str]:
    """Return the customers' CPFs and CNPJs among `documents` that have an unsent invoice."""
    takers, invoices = tables.takers, tables.invoices
    query = (
        sa.select(takers.c.document)
        .join(invoices, invoices.c.taker_id == takers.c.id)
        .where(is_in(conn, takers.c.document, documents), invoices.c.state.in_(_UNSENT))
        .distinct()
    )
    return set(conn.execute(query).scalars())


def unsent_emitters(conn: sa.Connection, cnpjs: Collection[str]) -> set[str]:
    """Return the emitters' CNPJs among `cnpjs` that have an unsent invoice at an issuer that stages."""
    emitters, invoices = tables.emitters, tables.invoices
    query = (
        sa.select(emitters.c.cnpj)
        .join(invoices, invoices.c.emitter_id == emitters.c.id)
        .where(is_in(conn, emitters.c.cnpj, cnpjs), invoices.c.is_staged, invoices.c.state.in_(_UNSENT))
        .distinct()
    )
    return set(conn.execute(query).scalars())
