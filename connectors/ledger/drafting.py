"""Draft invoices that were compared with the ledger, unless the ledger got others for the same customers meanwhile.

The comparison and the draft are two transactions. Between them another operator's sheet, a contract run or a retry may
bill the same charge in other words, which no unique key of the ledger finds, or a person may change a contract.
"""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from connectors.ledger import cancellations, contracts, tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.invoices import Drafted, NewInvoice, draft_invoices, lock_drafting
from domain.states import InvoiceState

_t, _rows = tables.invoices, tables.rows


class Newest(NamedTuple):
    """The ids of the newest invoice and of the newest version of a contract in the ledger, each 0 without one."""

    invoice: int
    contract: int


def newest_entries(conn: sa.Connection) -> Newest:
    """Return the ids of the newest entries. Read them before the data that rows are compared with."""
    invoice = int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(_t.c.id), 0))).scalar_one())
    return Newest(invoice, contracts.last_version(conn))


def draft_compared(conn: sa.Connection, news: Sequence[NewInvoice], *, file_id: int, newest: Newest) -> Drafted | None:
    """Draft these invoices of one file as `draft_invoices` does.

    Write nothing and return None if the comparison is outdated: since the `newest` entries, a row of another file got
    an invoice for one of these customers, or for products of one of these companies, or a person changed a contract of
    one of these customers, or an invoice to be replaced cannot be replaced any more. Compare again then.
    """
    lock_drafting(conn)
    return None if _is_outdated(conn, news, file_id, newest) else draft_invoices(conn, news)


def _is_outdated(conn: sa.Connection, news: Sequence[NewInvoice], file_id: int, newest: Newest) -> bool:
    takers = {new.taker_id for new in news if new.taker_id is not None}
    # the customer of a product invoice is in its content alone
    shops = {new.emitter_id for new in news if new.taker_id is None}
    is_theirs = sa.or_(
        is_in(conn, _t.c.taker_id, takers), sa.and_(_t.c.taker_id.is_(None), is_in(conn, _t.c.emitter_id, shops))
    )
    others = (
        sa.select(_t.c.id)
        .join(_rows, _rows.c.id == _t.c.row_id)
        .where(_t.c.id > newest.invoice, _t.c.is_living, _rows.c.file_id != file_id, is_theirs)
    )
    versions, customers = tables.contracts, tables.takers
    # by any version: the newest may have another customer
    theirs = sa.select(versions.c.folded_key).join(customers, customers.c.document == versions.c.document)
    changed = sa.select(versions.c.id).where(
        versions.c.id > newest.contract, versions.c.folded_key.in_(theirs.where(is_in(conn, customers.c.id, takers)))
    )
    if any(conn.execute(each.limit(1)).first() is not None for each in (others, changed)):
        return True
    replaced = [new.replaces_id for new in news if new.replaces_id is not None]
    if not replaced:
        return False
    issued = _t.c.state == str(InvoiceState.ACCEPTED)
    count = conn.execute(sa.select(sa.func.count()).where(is_in(conn, _t.c.id, replaced), issued)).scalar_one()
    is_asked = any(each.ended_at is None for each in cancellations.of_invoices(conn, replaced))
    return count < len(set(replaced)) or is_asked
