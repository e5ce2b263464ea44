"""The value forms of the product-invoice API. Reading is tolerant in form, never for numbers or identity."""

from datetime import datetime
from typing import Any

from connectors.http import wire_values


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
