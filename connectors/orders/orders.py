"""Purchase orders: list by plan or account, read, create, change and cancel (document 002, Order service)."""

from collections.abc import AsyncGenerator
from typing import Any, Final
from urllib.parse import quote

from pydantic import model_validator

from connectors.http.calls import require_same, understand
from connectors.http.link_pages import LinkedPage, linked_list, linked_page, linked_pages
from connectors.http.session import HttpSession
from connectors.http.wire_values import Filled, Integer, Text, Uuid
from connectors.orders.shapes import (
    AnswerModel,
    AskedCents,
    Cents,
    Day,
    DocumentNumber,
    Email,
    Instant,
    RequestModel,
    order_path,
)
from domain.documents import CNPJ_LENGTH
from domain.problems import FieldFault

_MADE: Final = frozenset({201})
_CHANGED: Final = frozenset({200, 201})
_GONE: Final = frozenset({204})
_NOT_THERE: Final = frozenset({404})
_NOT_THERE_OR_TWICE: Final = frozenset({404, 409})


class Order(AnswerModel):
    """An order. `number` is its id. The document shows no record: these names were observed on the wire [A 3.5]."""

    number: Integer
    plan_slug: str
    global_account: str
    client_email: str | None = None
    client_name: str | None = None
    document_number: Text | None = None
    amount: Cents
    charge_day: Integer | None = None
    created_at: Instant
    activated_at: Instant | None = None
    active_until: Instant | None = None
    next_payment_at: Instant | None = None
    is_active: bool
    is_paid: bool
    is_trial: bool
    is_recurring: bool
    activation_expired: bool = False
    checkout_url: str | None = None


class NewOrder(RequestModel):
    """A new order. With `active_until` (a day) it is a trial; a discount (cents) needs a description [A 3.10]."""

    global_account: Uuid
    client_email: Email
    identity: Uuid
    client_name: Filled | None = None
    client_cpf: DocumentNumber | None = None
    active_until: Day | None = None
    discount_amount: AskedCents | None = None
    discount_description: Filled | None = None

    @model_validator(mode="after")
    def _has_whole_discount(self) -> "NewOrder":
        if (self.discount_amount is None) != (self.discount_description is None):
            raise FieldFault("record_field.half_discount", field="discount_description")
        if self.discount_amount is not None and self.discount_amount <= 0:
            raise FieldFault("record_field.discount", field="discount_amount")
        return self


class Client(RequestModel):
    """The new data of an order's client. A CNPJ needs a complete address."""

    identity: Uuid
    document_number: DocumentNumber
    client_email: Email
    client_name: Filled
    address: Filled | None = None
    address_number: Filled | None = None
    address_complement: Filled | None = None
    address_quarter: Filled | None = None
    address_city: Filled | None = None
    address_state: Filled | None = None
    zip_code: Filled | None = None

    @model_validator(mode="after")
    def _has_address_of_company(self) -> "Client":
        place = (self.address, self.address_number, self.address_complement, self.address_quarter)
        town = (self.address_city, self.address_state, self.zip_code)
        if len(self.document_number) == CNPJ_LENGTH and None in (*place, *town):
            raise FieldFault("record_field.client_address", field="address")
        return self


class OrderCalls:
    def __init__(self, session: HttpSession) -> None:
        self._session = session

    def of_plan(
        self, slug: str, *, limit: int = 100, first: int = 1, ahead: int = 1
    ) -> AsyncGenerator[LinkedPage[Order], None]:
        """Yield the plan's orders page by page, as `linked_pages` does. Raises `NotFound` for an unknown plan."""
        return linked_pages(
            self._session, order_path(slug), Order.model_validate, query={"limit": limit}, first=first, ahead=ahead
        )

    async def of_plan_page(self, slug: str, *, limit: int, number: int) -> LinkedPage[Order]:
        """Return page `number` of the plan's orders. Raises `NotFound` if there is no such page."""
        path = order_path(slug)
        return await linked_page(self._session, path, Order.model_validate, query={"limit": limit}, number=number)

    async def read(self, slug: str, number: int) -> Order:
        """Return the order. Raises `NotFound`, or `Unreadable` if the answer shows another order."""
        answer = await self._session.read("GET", order_path(slug, number))
        return understand(answer, lambda data: _order(data, slug, number))

    async def of_account(self, account_uuid: str) -> list[Order]:
        """Return an account's orders, of every product that the credentials can read."""
        path = f"/api/accounts/{quote(account_uuid, safe='')}/orders/"
        query = {"limit": 100}
        return await linked_list(self._session, path, lambda data: _of_account(data, account_uuid), query=query)

    async def create(self, slug: str, order: NewOrder) -> Order:
        """Order the plan. Raises `Conflict` if this client has an active order of it, `NotFound` for an unknown plan.

        Without an answer, or with one about another plan or account, it raises `Doubtful`: the account's orders show
        whether the order exists.
        """
        answer = await self._session.write(
            "POST", order_path(slug), order.to_wire(), expect=_MADE, foreseen=_NOT_THERE_OR_TWICE
        )
        made = understand(answer, lambda data: _made(data, slug, order.global_account))
        return made if made.checkout_url else made.model_copy(update={"checkout_url": answer.headers.get("location")})

    async def change(self, slug: str, number: int, client: Client) -> Order:
        """Replace the client's data; keep fields that are not given."""
        path = order_path(slug, number)
        answer = await self._session.write("PUT", path, client.to_wire(), expect=_CHANGED, foreseen=_NOT_THERE)
        return understand(answer, lambda data: _order(data, slug, number))

    async def cancel(self, slug: str, number: int) -> None:
        """Cancel an order. Raises `NotFound` when there is none."""
        await self._session.write("DELETE", order_path(slug, number), None, expect=_GONE, foreseen=_NOT_THERE)


def _of_account(data: Any, account: str) -> Order:
    found = Order.model_validate(data)
    return require_same(found, "account", asked=account.lower(), answered=found.global_account.lower())


def _made(data: Any, slug: str, account: str) -> Order:
    found = _of_account(data, account)
    return require_same(found, "plan", asked=slug, answered=found.plan_slug)


def _order(data: Any, slug: str, number: int) -> Order:
    found = Order.model_validate(data)
    return require_same(found, "number or plan", asked=(slug, number), answered=(found.plan_slug, found.number))
