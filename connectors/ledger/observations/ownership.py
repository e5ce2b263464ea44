"""Find out which invoices, batches and numbers at a provider are this ledger's: only its stations may change them."""

import sqlalchemy as sa

from connectors.ledger import tables


def is_our_invoice(conn: sa.Connection, remote_id: int) -> bool:
    """Return whether the ledger has a staged service invoice with this remote id."""
    table = tables.invoices
    return _exists(conn, table.c.remote_id == remote_id, table.c.is_staged)


def is_our_batch(conn: sa.Connection, remote_id: int) -> bool:
    """Return whether the ledger has a batch with this remote id."""
    return _exists(conn, tables.batches.c.remote_id == remote_id)


def is_our_number(conn: sa.Connection, serie: str, first: int, last: int) -> bool:
    """Return whether the ledger has one of these numbers of a product serie, of any company."""
    table = tables.numbers
    products = sa.select(tables.emitters.c.id).where(~tables.emitters.c.is_staged)
    return _exists(conn, table.c.serie == serie, table.c.number.between(first, last), table.c.emitter_id.in_(products))


def _exists(conn: sa.Connection, *conditions: sa.ColumnElement[bool]) -> bool:
    return bool(conn.execute(sa.select(sa.exists().where(*conditions))).scalar_one())
