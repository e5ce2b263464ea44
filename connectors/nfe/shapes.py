"""The value forms of the product-invoice API. Reading is tolerant in form, never for numbers or identity."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

BRASILIA: Final = timezone(timedelta(hours=-3))
_NOT_DOCUMENT: Final = re.compile(r"[^0-9A-Z]")


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_text)]
"""A code or number that arrives as text or as an integer."""


def bare(value: Any) -> str | None:
    """Return a CNPJ or access key without punctuation, in capitals, or None. It is not validated."""
    return _NOT_DOCUMENT.sub("", str(value).upper()) or None if value is not None else None


def filled(value: Any) -> str | None:
    """Return a text, or None; the provider sends missing values as null or as empty text."""
    return str(value) if value not in (None, "") else None


def read_instant(value: Any) -> datetime | None:
    """Return an aware instant in UTC, or None. Without an offset it is Brasília time [A 2.9]."""
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise TypeError("an instant is text")
    found = datetime.fromisoformat(value)
    return (found if found.tzinfo else found.replace(tzinfo=BRASILIA)).astimezone(UTC)


def read_id(value: Any) -> int:
    """Return an id, which must be an integer."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("an id is an integer")
    return value


def read_number(value: Any) -> int | None:
    """Return a serie or number from an integer or its digits, or None if there is none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("not an integer")
    return int(value)


def read_object(data: Any) -> Mapping[str, Any]:
    """Return `data`, which must be a JSON object."""
    if not isinstance(data, dict):
        raise TypeError("not an object")
    return data
