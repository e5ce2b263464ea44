"""The two mirrored lists: how to ask for each, and how to store the answer."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Generic, TypeVar

from connectors.http.link_pages import LinkedPage
from connectors.ledger.mirror import orders, paid_invoices, pulls
from connectors.ledger.mirror.marks import Kind, Mark
from connectors.ledger.mirror.paid_invoices import MirrorCounts
from connectors.orders.invoices import Invoice
from connectors.orders.orders import Order as ListedOnWire
from domain.orders.orders import Order
from domain.orders.paid_invoices import PaidInvoice, Redeemed
from domain.problems import FaturistaError, Problem
from tasks.runtime.order_opening import OrdersRuntime

W = TypeVar("W")

_AHEAD: Final = 3
"""Pages requested ahead per request allowed in flight, so that a commit does not leave the connection idle."""


@dataclass(frozen=True)
class MirroredList(ABC, Generic[W]):
    """One list of one plan: how to ask for it and how to store it."""

    kind: ClassVar[Kind]

    runtime: OrdersRuntime
    plan: str

    @abstractmethod
    def pages(self, mark: Mark) -> AsyncGenerator[LinkedPage[W], None]:
        """Yield the pages in order, from where the pull continues. Request some ahead."""

    @abstractmethod
    async def page(self, mark: Mark, number: int) -> LinkedPage[W]:
        """Read one page now."""

    @abstractmethod
    async def take(self, mark: Mark, items: Sequence[W], *, next_page: int) -> MirrorCounts | None:
        """Store a group of items; return None if another pull has taken the list over."""

    @abstractmethod
    async def count(self, mark: Mark) -> int:
        """Count the entries of this pull in the mirror."""

    @property
    def ahead(self) -> int:
        return _AHEAD * self.runtime.settings.orders.in_flight


class PaidList(MirroredList[Invoice]):
    """A plan's paid invoices, from an instant of payment on."""

    kind = "paid_invoices"

    def pages(self, mark: Mark) -> AsyncGenerator[LinkedPage[Invoice], None]:
        calls, since, limit, first = (
            self.runtime.orders.invoices,
            _since(mark),
            mark.page_size or 1,
            mark.next_page or 1,
        )
        return calls.paid(self.plan, since=since, limit=limit, first=first, ahead=self.ahead)

    async def page(self, mark: Mark, number: int) -> LinkedPage[Invoice]:
        calls = self.runtime.orders.invoices
        return await calls.paid_page(self.plan, since=_since(mark), limit=mark.page_size or 1, number=number)

    async def take(self, mark: Mark, items: Sequence[Invoice], *, next_page: int) -> MirrorCounts | None:
        kept = [to_paid_invoice(self.plan, item) for item in items]
        return await self.runtime.ledger.writing(pulls.take_paid, mark, kept, next_page=next_page)

    async def count(self, mark: Mark) -> int:
        return await self.runtime.ledger.reading(paid_invoices.count_paid, self.plan, since=_since(mark))


class OrderList(MirroredList[ListedOnWire]):
    """A plan's orders, all of them."""

    kind = "orders"

    def pages(self, mark: Mark) -> AsyncGenerator[LinkedPage[ListedOnWire], None]:
        calls, limit, first = self.runtime.orders.orders, mark.page_size or 1, mark.next_page or 1
        return calls.of_plan(self.plan, limit=limit, first=first, ahead=self.ahead)

    async def page(self, mark: Mark, number: int) -> LinkedPage[ListedOnWire]:
        return await self.runtime.orders.orders.of_plan_page(self.plan, limit=mark.page_size or 1, number=number)

    async def take(self, mark: Mark, items: Sequence[ListedOnWire], *, next_page: int) -> MirrorCounts | None:
        kept = [to_order(self.plan, item) for item in items]
        return await self.runtime.ledger.writing(pulls.take_orders, mark, kept, next_page=next_page)

    async def count(self, mark: Mark) -> int:
        return await self.runtime.ledger.reading(orders.count_orders, self.plan, pull=str(mark.pull))


def to_paid_invoice(plan: str, said: Invoice) -> PaidInvoice:
    """Return the invoice as the mirror stores it. Raises `FaturistaError` for an invoice of another plan."""
    _refuse_other_plan(plan, said.plan_data.slug)
    assert said.paid_at is not None
    return PaidInvoice(
        plan_slug=plan,
        number=said.number,
        plan_name=said.plan_data.name,
        order_number=said.order_number,
        client_name=said.user_data.client_name,
        client_document=said.user_data.document_number,
        payment_method=said.payment_method,
        amount_cents=said.amount,
        total_cents=said.amount_with_adjustments,
        adjustments=tuple(Redeemed(each.amount, each.description) for each in said.redeemed_adjustments),
        created_at=said.created_at,
        paid_at=said.paid_at,
        charge_on=said.charge_date,
    )


def to_order(plan: str, said: ListedOnWire) -> Order:
    """Return the order as the mirror stores it. Raises `FaturistaError` for an order of another plan."""
    _refuse_other_plan(plan, said.plan_slug)
    return Order(
        plan_slug=plan,
        number=said.number,
        account_uuid=said.global_account,
        client_name=said.client_name,
        client_document=said.document_number,
        amount_cents=said.amount,
        charge_day=said.charge_day,
        created_at=said.created_at,
        activated_at=said.activated_at,
        active_until=said.active_until,
        next_payment_at=said.next_payment_at,
        is_active=said.is_active,
        is_paid=said.is_paid,
        is_trial=said.is_trial,
        is_recurring=said.is_recurring,
    )


def _refuse_other_plan(wanted: str, found: str) -> None:
    if found != wanted:
        raise FaturistaError(Problem("mirror.other_plan", params={"plan": wanted, "found": found[:100]}))


def _since(mark: Mark) -> datetime:
    assert mark.pulling_since is not None
    return mark.pulling_since
