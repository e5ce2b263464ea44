"""Accounts: groups of users with a plan and an expiration (document 002, Account record)."""

import json
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, Final

from connectors.http.calls import require_same, understand
from connectors.http.link_pages import LinkedPage, linked_pages
from connectors.http.redacted_model import RequestModel
from connectors.http.session import HttpSession
from connectors.http.wire_values import Filled, Instant, Text, instant_to_wire, read_list
from connectors.identity.members import Member
from connectors.identity.shapes import (
    HOME,
    AnswerModel,
    Expiration,
    account_path,
    expiration_to_wire,
    with_expiration,
    with_uuid,
)

_CHANGED: Final = frozenset({200})
_NOT_THERE: Final = frozenset({404})


class AccountName(AnswerModel):
    uuid: str
    name: str


class Service(AnswerModel):
    slug: str
    name: str


class Account(AnswerModel):
    """An account. `expiration` None: it never expires. `updated_by` is the e-mail address of its last editor."""

    account_data: AccountName
    service_data: Service
    plan_slug: str
    expiration: Instant | None = None
    updated_at: Instant | None = None
    updated_by: str | None = None
    members_data: tuple[Member, ...] = ()
    url: str | None = None
    history_url: str | None = None
    notifications_url: str | None = None
    add_member_url: str | None = None


class HistoryItem(AnswerModel):
    """The state of an account from `created_at` on."""

    created_at: Instant
    created_by: str | None = None
    expiration: Instant | None = None
    external_id: Text | None = None
    plan_slug: str
    solution_slug: str | None = None


class AccountChange(RequestModel):
    plan_slug: Filled


class AccountCalls:
    """Calls about the accounts of the session's application; another application's account raises `Denied`."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    def all(
        self, *, updated_since: datetime, limit: int = 100, first: int = 1, ahead: int = 1
    ) -> AsyncGenerator[LinkedPage[Account], None]:
        """Yield accounts changed from `updated_since` (aware) on, page by page, as `linked_pages` does.

        The instant is always sent: without it the service means one month ago, which hides unchanged accounts.
        """
        query: dict[str, str | int] = {"updated_since": instant_to_wire(updated_since), "limit": limit}
        return linked_pages(
            self._session, f"{HOME}/accounts/", Account.model_validate, query=query, first=first, ahead=ahead
        )

    async def read(self, uuid: str) -> Account:
        """Return the account. Raises `NotFound`, or `Unreadable` if the answer shows another account."""
        return understand(await self._session.read("GET", account_path(uuid)), lambda data: _account(data, uuid))

    async def history(self, uuid: str) -> list[HistoryItem]:
        """Return the account's history, oldest first; the service does not page it."""
        answer = await self._session.read("GET", f"{account_path(uuid)}history/")
        return understand(answer, lambda data: [HistoryItem.model_validate(item) for item in read_list(data)])

    async def change(self, uuid: str, *, plan_slug: str, expiration: Expiration) -> Account:
        """Set the account's plan and expiration. Raises `NotFound` if the account does not exist.

        Raises `Doubtful` if the answer has another plan or expiration: read the account.
        """
        asked = AccountChange(plan_slug=plan_slug).model_dump() | expiration_to_wire(expiration)
        body = json.dumps(asked, ensure_ascii=False).encode()
        answer = await self._session.write("PUT", account_path(uuid), body, expect=_CHANGED, foreseen=_NOT_THERE)
        return understand(answer, lambda data: _as_asked(_account(data, uuid), plan_slug, expiration))


def _account(data: Any, uuid: str) -> Account:
    found = read_account(data)
    return with_uuid(found, found.account_data.uuid, uuid)


def _as_asked(found: Account, plan_slug: str, expiration: Expiration) -> Account:
    require_same(found, "plan", asked=plan_slug, answered=found.plan_slug)
    return with_expiration(found, found.expiration, expiration)


def read_account(data: Any) -> Account:
    """Return one account from an object, or from the array with one object that the document shows [A 4.3]."""
    if isinstance(data, list):
        (data,) = data
    return Account.model_validate(data)
