"""Store the records of some pages and the page at which an interrupted pull resumes, in one transaction."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from connectors.ledger.mirror.discrepancies import settle_withdrawn
from connectors.ledger.mirror.orders import store_orders
from connectors.ledger.mirror.paid_invoices import MirrorCounts, store_paid
from connectors.ledger.mirror.sync_cursors import SyncCursor, end_pull, store_next_page
from domain.orders.orders import Order
from domain.orders.paid_invoices import PaidInvoice


def store_paid_page(
    conn: sa.Connection, cursor: SyncCursor, invoices: Sequence[PaidInvoice], *, next_page: int
) -> MirrorCounts | None:
    """Store the invoices of the pages up to `next_page`.

    Return None and store nothing if another process pulls the list now.
    """
    return store_paid(conn, invoices, pull=str(cursor.pull)) if store_next_page(conn, cursor, next_page) else None


def store_order_page(
    conn: sa.Connection, cursor: SyncCursor, orders: Sequence[Order], *, next_page: int
) -> MirrorCounts | None:
    """Store orders like `store_paid_page`."""
    return store_orders(conn, orders, pull=str(cursor.pull)) if store_next_page(conn, cursor, next_page) else None


def end_complete_pull(
    conn: sa.Connection, cursor: SyncCursor, *, covered_since: datetime | None, covered_until: datetime | None
) -> bool:
    """End a complete pull, and settle the clashes that the service withdrew.

    Return False and store nothing if another process pulls the list now.
    """
    if not end_pull(conn, cursor, covered_since=covered_since, covered_until=covered_until):
        return False
    settle_withdrawn(conn, cursor)
    return True
