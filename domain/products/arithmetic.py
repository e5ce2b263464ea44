"""Round the amounts of product invoices half up to the cent; service invoices truncate (`domain.money`).

98.97 × 17 % is 16.82 (exact 16.8249), × 3 % is 2.97 (exact 2.9691), × 4 % is 3.96 (exact 3.9588).
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from domain.money import BASIS_POINTS_IN_ONE

QUANTITY_PLACES: Final = 4
PRICE_PLACES: Final = 10
_EXACT: Final = Context(prec=60)


def line_cents(quantity: Decimal, unit_price: Decimal) -> int:
    """Return quantity × price in cents, rounded half up. Both are non-negative."""
    exact = _EXACT.multiply(_EXACT.multiply(quantity, unit_price), Decimal(100))
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=_EXACT))


def half_up_share(amount_cents: int, rate_bp: int) -> int:
    """Return `amount_cents × rate_bp` in cents, rounded half up. Both are non-negative; 17 % is 1700 basis points."""
    if amount_cents < 0 or rate_bp < 0:
        raise ValueError("a share is taken of a non-negative amount at a non-negative rate")
    return (2 * amount_cents * rate_bp + BASIS_POINTS_IN_ONE) // (2 * BASIS_POINTS_IN_ONE)


def apportion(total_cents: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Spread `total_cents` over the weights in proportion; leftover cents go to the largest remainders.

    Equal remainders go to the earlier line. No share exceeds its weight unless the total exceeds the sum of weights.
    Raises `ValueError` for negative figures, and for a total when every weight is zero.
    """
    whole = sum(weights)
    if total_cents < 0 or min(weights, default=0) < 0 or (total_cents > 0 and whole == 0):
        raise ValueError("an amount is apportioned over weights that are there")
    if total_cents == 0:
        return (0,) * len(weights)
    shares = [total_cents * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda line: -(total_cents * weights[line] % whole))
    for line in by_remainder[: total_cents - sum(shares)]:
        shares[line] += 1
    return tuple(shares)


def decimal_places(value: Decimal) -> int:
    """Return the number of decimal places of a finite value; negative for a multiple of ten."""
    return -int(value.normalize(_EXACT).as_tuple().exponent)


def plain_decimal(value: Decimal) -> str:
    """Return the one spelling of a value, without trailing zeros and never in scientific notation: 12.50 → "12.5"."""
    return f"{value.normalize(_EXACT):f}"
