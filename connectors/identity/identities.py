"""The accounts of a user (document 002, Membership record)."""

import json
from typing import Any, Final
from urllib.parse import quote

from connectors.http.calls import require_same, understand
from connectors.http.redacted_model import RequestModel
from connectors.http.session import HttpSession
from connectors.http.wire_values import Filled, Instant, Uuid, read_list
from connectors.identity.accounts import AccountName, Service
from connectors.identity.shapes import (
    HOME,
    AnswerModel,
    Expiration,
    Roles,
    expiration_to_wire,
    with_expiration,
    with_uuid,
)

_MADE: Final = frozenset({201})
_NOT_THERE_OR_TWICE: Final = frozenset({404, 409})


class Membership(AnswerModel):
    """A user's membership in an account. For another service's account only name and uuid are known [A 4.7]."""

    account_data: AccountName
    service_data: Service | None = None
    plan_slug: str | None = None
    roles: Roles = ()
    expiration: Instant | None = None
    membership_details_url: str | None = None
    url: str | None = None
    history_url: str | None = None
    notifications_url: str | None = None
    add_member_url: str | None = None


class NewAccount(RequestModel):
    """A new account: by a name, or by the uuid of an account in which the user owns another service."""

    name: Filled | None = None
    uuid: Uuid | None = None
    plan_slug: Filled


class IdentityCalls:
    """Calls about a user's accounts."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def accounts(
        self, identity: str, *, role: str | None = None, with_expired: bool = False, with_other_services: bool = False
    ) -> list[Membership]:
        """Return the user's active accounts in this service, with `role` only those in which the user has that role.

        The flags add expired accounts, and the name and uuid of other services' accounts. The list is not paged.
        """
        query: dict[str, str | int] = {"role": role} if role else {}
        query |= {"include_expired_accounts": "true"} if with_expired else {}
        query |= {"include_other_services": "true"} if with_other_services else {}
        answer = await self._session.read("GET", _path(identity), query)
        return understand(answer, lambda data: [Membership.model_validate(item) for item in read_list(data)])

    async def add_account(
        self,
        identity: str,
        *,
        plan_slug: str,
        expiration: Expiration,
        name: str | None = None,
        account: str | None = None,
    ) -> Membership:
        """Open an account for a user: a new one by `name`, or this service in the `account` with that uuid.

        An expired one becomes active again. Raises `Conflict` when the user has an active one, `NotFound` for an
        unknown user, `Doubtful` for an answer with another account, plan or expiration, `ValueError` unless exactly one
        of name and account is given.
        """
        if (name is None) == (account is None):
            raise ValueError("an account is opened by its name or by its uuid")
        asked = NewAccount(name=name, uuid=account, plan_slug=plan_slug).model_dump(exclude_none=True)
        body = json.dumps(asked | expiration_to_wire(expiration), ensure_ascii=False).encode()
        answer = await self._session.write("POST", _path(identity), body, expect=_MADE, foreseen=_NOT_THERE_OR_TWICE)
        return understand(answer, lambda data: _as_asked(_membership(data), account, plan_slug, expiration))


def _path(identity: str) -> str:
    return f"{HOME}/identities/{quote(identity, safe='')}/accounts/"


def _as_asked(found: Membership, account: str | None, plan_slug: str, expiration: Expiration) -> Membership:
    if account is not None:
        with_uuid(found, found.account_data.uuid, account)
    require_same(found, "plan", asked=plan_slug, answered=found.plan_slug)
    return with_expiration(found, found.expiration, expiration)


def _membership(data: Any) -> Membership:
    """Return one membership from an object, or from an array with one object [A 4.3]."""
    if isinstance(data, list):
        (data,) = data
    return Membership.model_validate(data)
