"""The two mirrored lists: how to ask for each, and how to store the answer."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Generic, TypeVar

from connectors.http.link_pages import LinkedPage
from connectors.ledger.mirror import orders, paid_invoices, sync_pages
from connectors.ledger.mirror.paid_invoices import MirrorCounts
from connectors.ledger.mirror.sync_cursors import Kind, SyncCursor
from connectors.orders.invoices import Invoice
from connectors.orders.orders import Order as ListedOnWire
from domain.orders.orders import Order
from domain.orders.paid_invoices import PaidInvoice, Redeemed
from domain.problems import FaturistaError, Problem
from tasks.runtime.order_opening import OrdersRuntime

W = TypeVar("W")

_AHEAD: Final = 3
"""Pages to request ahead per request allowed in flight, so that a commit does not leave the connection idle."""


@dataclass(frozen=True)
class MirroredList(ABC, Generic[W]):
    """One list of one plan: how to ask for it and how to store it."""

    kind: ClassVar[Kind]

    runtime: OrdersRuntime
    plan: str

    @abstractmethod
    def fetch_pages(self, cursor: SyncCursor) -> AsyncGenerator[LinkedPage[W], None]:
        """Yield the pages in order, from the cursor's next page on. Request some ahead."""

    @abstractmethod
    async def fetch_page(self, cursor: SyncCursor, number: int) -> LinkedPage[W]:
        """Return one page without requesting others ahead."""

    @abstractmethod
    async def store_items(self, cursor: SyncCursor, items: Sequence[W], *, next_page: int) -> MirrorCounts | None:
        """Store a group of items; return the counts, or None if another pull has taken over the list."""

    @abstractmethod
    async def count_stored(self, cursor: SyncCursor) -> int:
        """Return the number of entries of this pull in the mirror."""

    @property
    def ahead(self) -> int:
        return _AHEAD * self.runtime.settings.orders.in_flight


class PaidList(MirroredList[Invoice]):
    """A plan's paid invoices, from an instant of payment on."""

    kind = "paid_invoices"

    def fetch_pages(self, cursor: SyncCursor) -> AsyncGenerator[LinkedPage[Invoice], None]:
        calls, since, limit, first = (
            self.runtime.orders.invoices,
            _pull_begin(cursor),
            cursor.page_size or 1,
            cursor.next_page or 1,
        )
        return calls.paid(self.plan, since=since, limit=limit, first=first, ahead=self.ahead)

    async def fetch_page(self, cursor: SyncCursor, number: int) -> LinkedPage[Invoice]:
        calls = self.runtime.orders.invoices
        return await calls.paid_page(self.plan, since=_pull_begin(cursor), limit=cursor.page_size or 1, number=number)

    async def store_items(self, cursor: SyncCursor, items: Sequence[Invoice], *, next_page: int) -> MirrorCounts | None:
        stored = [to_paid_invoice(self.plan, item) for item in items]
        return await self.runtime.ledger.write_async(sync_pages.store_paid_page, cursor, stored, next_page=next_page)

    async def count_stored(self, cursor: SyncCursor) -> int:
        return await self.runtime.ledger.read_async(paid_invoices.count_paid, self.plan, since=_pull_begin(cursor))


class OrderList(MirroredList[ListedOnWire]):
    """A plan's orders, all of them."""

    kind = "orders"

    def fetch_pages(self, cursor: SyncCursor) -> AsyncGenerator[LinkedPage[ListedOnWire], None]:
        calls, limit, first = self.runtime.orders.orders, cursor.page_size or 1, cursor.next_page or 1
        return calls.of_plan(self.plan, limit=limit, first=first, ahead=self.ahead)

    async def fetch_page(self, cursor: SyncCursor, number: int) -> LinkedPage[ListedOnWire]:
        return await self.runtime.orders.orders.of_plan_page(self.plan, limit=cursor.page_size or 1, number=number)

    async def store_items(
        self, cursor: SyncCursor, items: Sequence[ListedOnWire], *, next_page: int
    ) -> MirrorCounts | None:
        stored = [to_order(self.plan, item) for item in items]
        return await self.runtime.ledger.write_async(sync_pages.store_order_page, cursor, stored, next_page=next_page)

    async def count_stored(self, cursor: SyncCursor) -> int:
        return await self.runtime.ledger.read_async(orders.count_orders, self.plan, pull=str(cursor.pull))


def to_paid_invoice(plan: str, invoice: Invoice) -> PaidInvoice:
    """Return the invoice as the mirror stores it. Raises `FaturistaError` for an invoice of another plan."""
    _refuse_other_plan(plan, invoice.plan_data.slug)
    assert invoice.paid_at is not None
    return PaidInvoice(
        plan_slug=plan,
        number=invoice.number,
        plan_name=invoice.plan_data.name,
        order_number=invoice.order_number,
        client_name=invoice.user_data.client_name,
        client_document=invoice.user_data.document_number,
        payment_method=invoice.payment_method,
        amount_cents=invoice.amount,
        total_cents=invoice.amount_with_adjustments,
        adjustments=tuple(Redeemed(each.amount, each.description) for each in invoice.redeemed_adjustments),
        created_at=invoice.created_at,
        paid_at=invoice.paid_at,
        charge_on=invoice.charge_date,
    )


def to_order(plan: str, order: ListedOnWire) -> Order:
    """Return the order as the mirror stores it. Raises `FaturistaError` for an order of another plan."""
    _refuse_other_plan(plan, order.plan_slug)
    return Order(
        plan_slug=plan,
        number=order.number,
        account_uuid=order.global_account,
        client_name=order.client_name,
        client_document=order.document_number,
        amount_cents=order.amount,
        charge_day=order.charge_day,
        created_at=order.created_at,
        activated_at=order.activated_at,
        active_until=order.active_until,
        next_payment_at=order.next_payment_at,
        is_active=order.is_active,
        is_paid=order.is_paid,
        is_trial=order.is_trial,
        is_recurring=order.is_recurring,
    )


def _refuse_other_plan(wanted: str, found: str) -> None:
    if found != wanted:
        raise FaturistaError(Problem("mirror.other_plan", params={"plan": wanted, "found": found[:100]}))


def _pull_begin(cursor: SyncCursor) -> datetime:
    assert cursor.pulling_since is not None
    return cursor.pulling_since
