"""Members of an account and their roles (document 002, Account record)."""

import json
from collections.abc import Iterable
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from connectors.http.calls import understand
from connectors.http.errors import NotFound
from connectors.http.redacted_model import RequestModel
from connectors.http.session import HttpSession
from connectors.http.wire_values import Uuid, read_list
from connectors.identity.shapes import AnswerModel, AskedRoles, Roles, member_path, with_uuid
from domain.problems import Problem

_MADE: Final = frozenset({200, 201})
_CHANGED: Final = frozenset({200})
_GONE: Final = frozenset({204})
_NOT_THERE: Final = frozenset({404})
_NOT_THERE_OR_TWICE: Final = frozenset({404, 409})


class Identity(AnswerModel):
    """A user. In an account's list of members only the uuid is known."""

    uuid: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    is_active: bool | None = None


def _identity(value: Any) -> Any:
    return {"uuid": value} if isinstance(value, str) else value


class Member(AnswerModel):
    """A user's membership in an account."""

    roles: Roles = ()
    identity: Annotated[Identity, BeforeValidator(_identity)]
    membership_details_url: str | None = None


class NewMember(RequestModel):
    """A new member. Without roles the member gets `user` [A 4.6]."""

    identity: Uuid
    roles: AskedRoles


class NewRoles(RequestModel):
    roles: AskedRoles


class MemberCalls:
    def __init__(self, session: HttpSession) -> None:
        self._session = session

    async def of_account(self, account: str) -> list[Member]:
        answer = await self._session.read("GET", member_path(account))
        return understand(answer, lambda data: [Member.model_validate(item) for item in read_list(data)])

    async def read(self, account: str, identity: str) -> Member:
        """Return the member. Raises `NotFound`, or `Unreadable` if the answer shows another member."""
        answer = await self._session.read("GET", member_path(account, identity))
        return understand(answer, lambda data: _member(data, identity))

    async def add(self, account: str, identity: str, *, roles: Iterable[str] = ("user",)) -> Member:
        """Add a member. Raises `Conflict` for an existing member.

        Raises `NotFound` for an unknown account or user, and also when the account has no room for one more [A 4.5].
        """
        body = _body(NewMember(identity=identity, roles=tuple(roles)))
        path = member_path(account)
        try:
            answer = await self._session.write("POST", path, body, expect=_MADE, foreseen=_NOT_THERE_OR_TWICE)
        except NotFound as error:
            raise NotFound(
                error.call,
                status=error.status,
                messages=error.messages,
                wire=error.wire,
                detail=error.detail,
                problems=[Problem("record.not_added")],
            ) from error
        return understand(answer, lambda data: _member(data, identity))

    async def change(self, account: str, identity: str, *, roles: Iterable[str]) -> Member:
        """Replace a member's roles. Raises `NotFound` for an unknown account or member."""
        body, path = _body(NewRoles(roles=tuple(roles))), member_path(account, identity)
        answer = await self._session.write("PUT", path, body, expect=_CHANGED, foreseen=_NOT_THERE)
        return understand(answer, lambda data: _member(data, identity))

    async def remove(self, account: str, identity: str) -> None:
        """Remove a member. Raises `Refused` for the owner, `NotFound` for an unknown account or member."""
        path = member_path(account, identity)
        await self._session.write("DELETE", path, None, expect=_GONE, foreseen=_NOT_THERE)


def _member(data: Any, identity: str) -> Member:
    found = Member.model_validate(data)
    return with_uuid(found, found.identity.uuid, identity)


def _body(asked: RequestModel) -> bytes:
    return json.dumps(asked.model_dump(mode="json"), ensure_ascii=False).encode()
