"""The value forms of the identity service, and the base class of its answers.

Its instants have no offset: as in the order service, they are São Paulo time [A 4.1].
"""

import enum
import re
from datetime import date, datetime
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import quote

from pydantic import AfterValidator, BeforeValidator

from connectors.http import redacted_model
from connectors.http.calls import require_same
from connectors.http.wire_values import read_instant
from domain.competence import BRASILIA
from domain.problems import FieldFault

T = TypeVar("T")

HOME: Final = "/organizations/api"
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


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


def _instant(value: Any) -> Any:
    """Parse `YYYY-MM-DD HH:MM:SS` as São Paulo time unless it has an offset. A date means its midnight."""
    if not isinstance(value, str):
        return value
    return read_instant(value)


def _require_text(text: str) -> str:
    if not text or any(sign == "\0" or 0xD800 <= ord(sign) <= 0xDFFF for sign in text):
        raise FieldFault("record_field.unsendable" if text else "record_field.empty")
    return text


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise FieldFault("record_field.uuid")
    return text


def _roles(roles: Any) -> Any:
    return tuple(roles) if isinstance(roles, list) else roles


Instant = Annotated[datetime, BeforeValidator(_instant)]
Filled = Annotated[str, AfterValidator(_require_text)]
Uuid = Annotated[str, AfterValidator(_uuid)]
Roles = Annotated[tuple[str, ...], BeforeValidator(_roles)]
"""`owner`, `admin`, `user`, or any other text [A 4.6]."""
AskedRoles = Annotated[tuple[Filled, ...], BeforeValidator(_roles)]


def instant_to_wire(at: datetime) -> str:
    """Return an aware instant in the service's form. Raises `ValueError` for a naive one."""
    if at.tzinfo is None:
        raise ValueError("an instant without a time zone")
    return at.astimezone(BRASILIA).replace(tzinfo=None).isoformat(" ", "seconds")


def expiration_to_wire(expiration: Expiration) -> dict[str, str]:
    """Return the body's `expiration` field, or no field to erase the stored expiration."""
    if isinstance(expiration, Erase):
        return {}
    if isinstance(expiration, datetime):
        return {"expiration": instant_to_wire(expiration)}
    return {"expiration": expiration.isoformat()}


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


def read_list(data: Any) -> list[Any]:
    """Return `data`, which must be an array."""
    if not isinstance(data, list):
        raise TypeError("not a list")
    return data
