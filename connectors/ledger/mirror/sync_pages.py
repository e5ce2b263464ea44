"""Store a group of pages, and the page at which the pull would resume, in one transaction."""

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
    conn: sa.Connection, mark: SyncCursor, invoices: Sequence[PaidInvoice], *, next_page: int
) -> MirrorCounts | None:
    """Store a group of invoices. Return None and store nothing if another owner took the list."""
    return store_paid(conn, invoices, pull=str(mark.pull)) if store_next_page(conn, mark, next_page) else None


def store_order_page(
    conn: sa.Connection, mark: SyncCursor, orders: Sequence[Order], *, next_page: int
) -> MirrorCounts | None:
    """Store a group of orders. Return None and store nothing if another owner took the list."""
    return store_orders(conn, orders, pull=str(mark.pull)) if store_next_page(conn, mark, next_page) else None


def end_complete_pull(
    conn: sa.Connection, mark: SyncCursor, *, covered_since: datetime | None, covered_until: datetime | None
) -> bool:
    """End a complete pull, and settle the clashes that the service withdrew. Return False if another owner took it."""
    if not end_pull(conn, mark, covered_since=covered_since, covered_until=covered_until):
        return False
    settle_withdrawn(conn, mark)
    return True
