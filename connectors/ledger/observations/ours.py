"""Whether something at the provider is the line's own: then nothing but the line changes it."""

import sqlalchemy as sa

from connectors.ledger import tables


def is_our_invoice(conn: sa.Connection, remote_id: int) -> bool:
    """Whether a staged service invoice with this id at the provider is in the ledger."""
    table = tables.invoices
    return _exists(conn, table.c.remote_id == remote_id, table.c.is_staged)


def is_our_batch(conn: sa.Connection, remote_id: int) -> bool:
    """Whether the ledger opened the batch with this id at the provider."""
    return _exists(conn, tables.batches.c.remote_id == remote_id)


def is_our_number(conn: sa.Connection, serie: str, first: int, last: int) -> bool:
    """Whether the ledger holds any of these numbers of a serie of product invoices, for any company."""
    table = tables.numbers
    products = sa.select(tables.emitters.c.id).where(~tables.emitters.c.is_staged)
    return _exists(conn, table.c.serie == serie, table.c.number.between(first, last), table.c.emitter_id.in_(products))


def _exists(conn: sa.Connection, *conditions: sa.ColumnElement[bool]) -> bool:
    return bool(conn.execute(sa.select(sa.exists().where(*conditions))).scalar_one())
