"""The value forms that several systems share.

Integers and instants of an answer that the ledger or a report cannot store are refused.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator

from domain.competence import BRASILIA
from domain.problems import FieldFault

_LARGEST: Final = 2**63 - 1
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_NOT_DOCUMENT: Final = re.compile(r"[^0-9A-Z]")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def checked_integer(value: int) -> int:
    """Return the integer. Raises `ValueError` for one of more than 64 bits: SQLite would store another number."""
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError("an integer of more than 64 bits")
    return value


Integer = Annotated[int, AfterValidator(checked_integer)]
"""An id or a number."""


def read_id(value: Any) -> int:
    """Return an id, which must be an integer. Raises `TypeError` or `ValueError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("an id is an integer")
    return checked_integer(value)


def read_integer(value: Any) -> int:
    """Return an id or number from an integer or its digits. Raises `ValueError` or `TypeError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("not an integer")
    return checked_integer(int(value))


def read_instant(text: str) -> datetime:
    """Return an aware instant in UTC; without an offset it is Brasília time. Raises `ValueError`.

    An instant in the calendar's last hours means "never" and stays its last instant. One in its first hours, which has
    no date in Brasília, is refused.
    """
    found = datetime.fromisoformat(text)
    aware = found if found.tzinfo else found.replace(tzinfo=BRASILIA)
    try:
        instant = aware.astimezone(UTC)
        instant.astimezone(BRASILIA)
    except OverflowError:
        if found.year == _NEVER.year:
            return _NEVER
        raise ValueError("an instant before the calendar begins") from None
    return instant


Instant = Annotated[datetime, BeforeValidator(lambda value: read_instant(value) if isinstance(value, str) else value)]
"""An instant of an answer, as `read_instant` returns it."""


def instant_to_wire(at: datetime) -> str:
    """Return an aware instant as São Paulo time without an offset. Raises `ValueError` for a naive one."""
    if at.tzinfo is None:
        raise ValueError("an instant without a time zone")
    return at.astimezone(BRASILIA).replace(tzinfo=None).isoformat(" ", "seconds")


def _integer_as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_integer_as_text)]
"""A code or number that arrives as text or as an integer."""


def _city_name(value: Any) -> Any:
    return value.get("name") if isinstance(value, dict) else value


CityName = Annotated[str | None, BeforeValidator(_city_name)]
"""A city's name, which may arrive as an object `{name, state, city_code}`."""


def can_be_sent(text: str) -> bool:
    """Return whether the text has neither a NUL nor half of a character."""
    return not any(sign == "\0" or 0xD800 <= ord(sign) <= 0xDFFF for sign in text)


def _require_text(text: str) -> str:
    if not text or not can_be_sent(text):
        raise FieldFault("record_field.unsendable" if text else "record_field.empty")
    return text


def _require_uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise FieldFault("record_field.uuid")
    return text


Filled = Annotated[str, AfterValidator(_require_text)]
Uuid = Annotated[str, AfterValidator(_require_uuid)]


def text_or_none(value: Any) -> str | None:
    """Return a text, or None for a missing value: null or empty text."""
    return str(value) if value not in (None, "") else None


def bare_document(value: Any) -> str | None:
    """Return a CPF, CNPJ or access key without punctuation, in capitals, or None. It is not validated."""
    return _NOT_DOCUMENT.sub("", str(value).upper()) or None if value is not None else None


def read_object(data: Any) -> Mapping[str, Any]:
    """Return `data`, which must be a JSON object."""
    if not isinstance(data, dict):
        raise TypeError("not an object")
    return data


def read_list(data: Any) -> list[Any]:
    """Return `data`, which must be an array."""
    if not isinstance(data, list):
        raise TypeError("not a list")
    return data
