"""The value forms of the identity service, and the base class of its answers.

Its instants have no offset: as in the order service, they are São Paulo time [A 4.1].
"""

import enum
from datetime import date, datetime
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import quote

from pydantic import BeforeValidator

from connectors.http import redacted_model
from connectors.http.calls import require_same
from connectors.http.wire_values import Filled, instant_to_wire
from domain.competence import BRASILIA

T = TypeVar("T")

HOME: Final = "/organizations/api"


class Erase(enum.Enum):
    """The value that erases an expiration."""

    EXPIRATION = "expiration"


ERASE_EXPIRATION: Final = Erase.EXPIRATION
"""The account never expires.

The service erases an omitted expiration silently, so every call that could do this requires an expiration or this
value.
"""

Expiration = date | datetime | Erase
"""A day, an instant with its time zone, or `ERASE_EXPIRATION`."""


class AnswerModel(redacted_model.AnswerModel):
    """An answer. Its text forms show only a person's uuid."""

    shown = frozenset({"uuid", "slug", "plan_slug", "roles", "identity"})


def _roles(roles: Any) -> Any:
    return tuple(roles) if isinstance(roles, list) else roles


Roles = Annotated[tuple[str, ...], BeforeValidator(_roles)]
"""`owner`, `admin`, `user`, or any other text [A 4.6]."""
AskedRoles = Annotated[tuple[Filled, ...], BeforeValidator(_roles)]


def expiration_to_wire(expiration: Expiration) -> dict[str, str]:
    """Return the body's `expiration` field, or no field to erase the stored expiration."""
    if isinstance(expiration, Erase):
        return {}
    if isinstance(expiration, datetime):
        return {"expiration": instant_to_wire(expiration)}
    return {"expiration": expiration.isoformat()}


def with_expiration(found: T, answered: datetime | None, asked: Expiration) -> T:
    """Return the resource if it ends on the requested day: the service may drop an instant's time [A 4.8]."""
    day = asked.astimezone(BRASILIA).date() if isinstance(asked, datetime) else asked
    end = ERASE_EXPIRATION if answered is None else answered.astimezone(BRASILIA).date()
    return require_same(found, "expiration", asked=day, answered=end)


def account_path(uuid: str) -> str:
    """Return the path of an account. The uuid is escaped and stays one part of the path."""
    return f"{HOME}/accounts/{quote(uuid, safe='')}/"


def member_path(account: str, member: str | None = None) -> str:
    """Return the path of an account's members, or of one of them."""
    path = f"{account_path(account)}members/"
    return path if member is None else f"{path}{quote(member, safe='')}/"


def with_uuid(found: T, answered: str, asked: str) -> T:
    """Return the resource if its UUID is the requested one, in upper or lower case."""
    return require_same(found, "uuid", asked=asked.lower(), answered=answered.lower())
