"""The value forms of the product-invoice API. Reading is tolerant in form, never for numbers or identity."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from connectors.http import wire_values

_NOT_DOCUMENT: Final = re.compile(r"[^0-9A-Z]")


def _integer_as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_integer_as_text)]
"""A code or number that arrives as text or as an integer."""


def bare(value: Any) -> str | None:
    """Return a CNPJ or access key without punctuation, in capitals, or None. It is not validated."""
    return _NOT_DOCUMENT.sub("", str(value).upper()) or None if value is not None else None


def text_or_none(value: Any) -> str | None:
    """Return a text, or None; the provider sends missing values as null or as empty text."""
    return str(value) if value not in (None, "") else None


def read_instant(value: Any) -> datetime | None:
    """Return an aware instant in UTC, or None. Without an offset it is Brasília time [A 2.9]."""
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise TypeError("an instant is text")
    return wire_values.read_instant(value)


def read_number(value: Any) -> int | None:
    """Return a serie or number from an integer or its digits, or None if there is none."""
    return None if value is None else wire_values.read_integer(value)


def read_object(data: Any) -> Mapping[str, Any]:
    """Return `data`, which must be a JSON object."""
    if not isinstance(data, dict):
        raise TypeError("not an object")
    return data
