"""One transaction for each group of pages: what they hold, and from which page the pull goes on."""

from collections.abc import Sequence

import sqlalchemy as sa

from connectors.ledger.mirror.marks import Mark, turn_page
from connectors.ledger.mirror.orders import keep_orders
from connectors.ledger.mirror.paid_invoices import Kept, keep_paid
from domain.orders.orders import Order
from domain.orders.paid_invoices import PaidInvoice


def take_paid(conn: sa.Connection, mark: Mark, invoices: Sequence[PaidInvoice], *, next_page: int) -> Kept | None:
    """Keep a group of invoices; None, and nothing kept, when somebody else took the list in hand."""
    return keep_paid(conn, invoices) if turn_page(conn, mark, next_page) else None


def take_orders(conn: sa.Connection, mark: Mark, orders: Sequence[Order], *, next_page: int) -> Kept | None:
    """Keep a group of orders, seen in this pull; None as above."""
    return keep_orders(conn, orders, pull=str(mark.pull)) if turn_page(conn, mark, next_page) else None
