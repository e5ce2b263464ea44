"""Draft invoices that were compared with the ledger, unless the ledger got others for the same customers meanwhile.

The comparison and the draft are two transactions. Between them another operator's sheet, a contract run or a retry may
bill the same charge in other words, which no unique key of the ledger finds.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from connectors.ledger import cancellations, tables
from connectors.ledger.database.sql import is_in
from connectors.ledger.invoices import Drafted, NewInvoice, draft_invoices, lock_drafting
from domain.states import InvoiceState

_t, _rows = tables.invoices, tables.rows


def newest_invoice(conn: sa.Connection) -> int:
    """Return the id of the newest invoice in the ledger, 0 without one."""
    return int(conn.execute(sa.select(sa.func.coalesce(sa.func.max(_t.c.id), 0))).scalar_one())


def draft_compared(conn: sa.Connection, news: Sequence[NewInvoice], *, file_id: int, newest: int) -> Drafted | None:
    """Draft these invoices of one file as `draft_invoices` does.

    Write nothing and return None if the comparison is outdated: a row of another file got an invoice for one of these
    customers, or for products of one of these companies, since `newest` was the newest invoice, or an invoice to be
    replaced cannot be replaced any more. Compare again then.
    """
    lock_drafting(conn)
    return None if _is_outdated(conn, news, file_id, newest) else draft_invoices(conn, news)


def _is_outdated(conn: sa.Connection, news: Sequence[NewInvoice], file_id: int, newest: int) -> bool:
    takers = {new.taker_id for new in news if new.taker_id is not None}
    # the customer of a product invoice is in its content alone
    shops = {new.emitter_id for new in news if new.taker_id is None}
    is_theirs = sa.or_(
        is_in(conn, _t.c.taker_id, takers), sa.and_(_t.c.taker_id.is_(None), is_in(conn, _t.c.emitter_id, shops))
    )
    others = (
        sa.select(_t.c.id)
        .join(_rows, _rows.c.id == _t.c.row_id)
        .where(_t.c.id > newest, _t.c.is_living, _rows.c.file_id != file_id, is_theirs)
    )
    if conn.execute(others.limit(1)).first() is not None:
        return True
    replaced = [new.replaces_id for new in news if new.replaces_id is not None]
    if not replaced:
        return False
    issued = _t.c.state == str(InvoiceState.ACCEPTED)
    count = conn.execute(sa.select(sa.func.count()).where(is_in(conn, _t.c.id, replaced), issued)).scalar_one()
    is_asked = any(each.ended_at is None for each in cancellations.of_invoices(conn, replaced))
    return count < len(set(replaced)) or is_asked
