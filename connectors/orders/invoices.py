"""Invoices of orders, paid or not (document 002, Invoice record). They are no tax documents."""

from collections.abc import AsyncGenerator
from datetime import datetime
from urllib.parse import quote

from connectors.http.calls import require_same, understand
from connectors.http.link_pages import LinkedPage, linked_list, linked_page, linked_pages
from connectors.http.session import HttpSession
from connectors.http.wire_values import CityName, Integer, Text, instant_to_wire
from connectors.orders.shapes import AnswerModel, Cents, Day, Instant, last_number, order_path


class UserData(AnswerModel):
    """The payer's data in the order when the invoice was made. Any field may be missing."""

    client_name: str | None = None
    client_email: str | None = None
    document_number: Text | None = None
    address: str | None = None
    address_number: Text | None = None
    address_complement: str | None = None
    address_quarter: str | None = None
    address_city: CityName = None
    address_state: str | None = None
    zip_code: Text | None = None


class PlanData(AnswerModel):
    slug: str
    name: str
    description: str | None = None


class RedeemedAdjustment(AnswerModel):
    """An adjustment on an invoice, in cents: positive is a surcharge, negative a discount."""

    amount: Cents
    description: str


class Invoice(AnswerModel):
    """An invoice. `number` is unique within a plan [A 3.4]. Unpaid: no `paid_at` and `activated_at` [A 3.6]."""

    number: Integer
    url: str
    order_url: str
    created_at: Instant
    activated_at: Instant | None = None
    paid_at: Instant | None = None
    amount: Cents
    amount_with_adjustments: Cents
    payment_method: str | None = None
    charge_date: Day | None = None
    next_payment_date: Day | None = None
    user_data: UserData
    plan_data: PlanData
    redeemed_adjustments: tuple[RedeemedAdjustment, ...] = ()

    @property
    def order_number(self) -> int:
        """Return the order's id, the last part of its URL. Raises `ValueError` if that is no number."""
        return last_number(self.order_url)


class InvoiceCalls:
    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def of_order(self, slug: str, order_number: int) -> list[Invoice]:
        """Return every invoice of the order, oldest first."""
        path = f"{order_path(slug, order_number)}invoices/"
        return await linked_list(self._session, path, lambda data: _of_order(data, order_number), query={"limit": 100})

    async def read(self, slug: str, order_number: int, number: int) -> Invoice:
        path = f"{order_path(slug, order_number)}invoices/{number}/"
        return understand(
            await self._session.read("GET", path), lambda data: _invoice(data, slug, order_number, number)
        )

    def paid(
        self, slug: str, *, since: datetime, limit: int = 100, first: int = 1, ahead: int = 1
    ) -> AsyncGenerator[LinkedPage[Invoice], None]:
        """Yield the plan's invoices paid from `since` (aware) on, page by page, as `linked_pages` does.

        `since` is always sent: without it the service means one month ago, and reports would lack data silently.
        """
        query = _paid_query(since, limit)
        return linked_pages(self._session, _paid_path(slug), _paid, query=query, first=first, ahead=ahead)

    async def paid_page(self, slug: str, *, since: datetime, limit: int, number: int) -> LinkedPage[Invoice]:
        """Return page `number` of the plan's invoices paid from `since` (aware) on."""
        return await linked_page(self._session, _paid_path(slug), _paid, query=_paid_query(since, limit), number=number)


def _of_order(data: object, order_number: int) -> Invoice:
    found = Invoice.model_validate(data)
    return require_same(found, "order", asked=order_number, answered=found.order_number)


def _invoice(data: object, slug: str, order_number: int, number: int) -> Invoice:
    found = _of_order(data, order_number)
    return require_same(found, "number or plan", asked=(slug, number), answered=(found.plan_data.slug, found.number))


def _paid_path(slug: str) -> str:
    return f"/api/{quote(slug, safe='')}/invoices/paid/"


def _paid_query(since: datetime, limit: int) -> dict[str, str | int]:
    return {"since": instant_to_wire(since), "limit": limit}


def _paid(data: object) -> Invoice:
    invoice = Invoice.model_validate(data)
    if invoice.paid_at is None:
        raise ValueError("a paid invoice that was never paid")
    last_number(invoice.order_url)  # refuse one that belongs to no order
    return invoice
