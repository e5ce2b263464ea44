"""Money in integer cents and rates in integer basis points, never floats.

The service-invoice provider **truncates** to cents and never rounds: 99.99 × 5 % is 4.99, although the exact product is
4.9995 (provider notes, Amounts).
"""

import re
from typing import Final

BASIS_POINTS_IN_ONE: Final = 10_000
_WIRE: Final = re.compile(r"(-?\d{1,15})(?:\.(\d{1,2})0*)?")


def truncate_share(amount_cents: int, rate_bp: int) -> int:
    """Return `amount_cents × rate_bp`, cut to whole cents. Both are non-negative; 5 % is 500 basis points."""
    if amount_cents < 0 or rate_bp < 0:
        raise ValueError("a share is taken of a non-negative amount at a non-negative rate")
    return amount_cents * rate_bp // BASIS_POINTS_IN_ONE


def to_wire(cents: int) -> str:
    """Return cents as the API's decimal text: 123456 → "1234.56". Basis points have the same form: 65 → "0.65"."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}{whole}.{part:02d}"


def from_wire(value: str | float) -> int:
    """Return the cents of the API's decimal, a text or a number.

    Raises `ValueError` for a text that is no decimal, or that has a fraction of a cent: reading never rounds.
    """
    found = _WIRE.fullmatch(value if isinstance(value, str) else repr(value))
    if isinstance(value, bool) or found is None:
        raise ValueError("not a decimal with at most two places")
    whole, part = found.groups("")
    # Without the point, the digits are the cents: "-0.05" is "-0" and "05".
    return int(whole + part.ljust(2, "0"))


def format_brl(cents: int) -> str:
    """Return cents in Brazilian notation: 123456 → "R$ 1.234,56"."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}R$ {f'{whole:,}'.replace(',', '.')},{part:02d}"
