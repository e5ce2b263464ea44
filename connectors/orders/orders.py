"""Purchase orders: by plan, by account, one (document 002, Order service)."""

from collections.abc import AsyncGenerator
from urllib.parse import quote

from connectors.http.calls import understand
from connectors.http.links import LinkedPage, linked_list, linked_page, linked_pages
from connectors.http.session import HttpSession
from connectors.orders.shapes import AnswerModel, Cents, Instant, Text, order_path


class Order(AnswerModel):
    """`number` is the order's id. The document shows no record: the names are those seen on the wire [A 3.5]."""

    number: int
    plan_slug: str
    global_account: str
    client_email: str | None = None
    client_name: str | None = None
    document_number: Text | None = None
    amount: Cents
    charge_day: int | None = None
    created_at: Instant
    activated_at: Instant | None = None
    active_until: Instant | None = None
    next_payment_at: Instant | None = None
    is_active: bool
    is_paid: bool
    is_trial: bool
    is_recurring: bool
    activation_expired: bool = False


class OrderCalls:
    """Calls about orders."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    def of_plan(
        self, slug: str, *, limit: int = 100, first: int = 1, ahead: int = 1
    ) -> AsyncGenerator[LinkedPage[Order], None]:
        """The plan's orders page by page, as `linked_pages` tells them. `NotFound`: no such plan."""
        return linked_pages(
            self._session, order_path(slug), Order.model_validate, query={"limit": limit}, first=first, ahead=ahead
        )

    async def of_plan_page(self, slug: str, *, limit: int, number: int) -> LinkedPage[Order]:
        """One page of the same list."""
        path = order_path(slug)
        return await linked_page(self._session, path, Order.model_validate, query={"limit": limit}, number=number)

    async def read(self, slug: str, number: int) -> Order:
        return understand(await self._session.read("GET", order_path(slug, number)), Order.model_validate)

    async def of_account(self, account_uuid: str) -> list[Order]:
        """Orders of an account, of every product that the credentials reach."""
        path = f"/api/accounts/{quote(account_uuid, safe='')}/orders/"
        return await linked_list(self._session, path, Order.model_validate, query={"limit": 100})
