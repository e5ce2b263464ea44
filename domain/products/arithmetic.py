"""Product invoices round half up, to the cent: unlike service invoices, which truncate (`domain.money`).

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
    """Quantity × price, half up to the cent. Both are non-negative."""
    exact = _EXACT.multiply(_EXACT.multiply(quantity, unit_price), Decimal(100))
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=_EXACT))


def half_up_share(amount_cents: int, rate_bp: int) -> int:
    """`amount_cents × rate_bp`, half up to the cent. Both are non-negative; 17 % is 1700 basis points."""
    if amount_cents < 0 or rate_bp < 0:
        raise ValueError("a share is taken of a non-negative amount at a non-negative rate")
    return (2 * amount_cents * rate_bp + BASIS_POINTS_IN_ONE) // (2 * BASIS_POINTS_IN_ONE)


def apportioned(total_cents: int, weights: Sequence[int]) -> tuple[int, ...]:
    """`total_cents` over the weights: every cent once, in proportion, the largest remainders first.

    Equal remainders go to the earlier line. No share is larger than its weight where the total is not larger than
    their sum. Raises `ValueError` for negative figures, and for a total where nothing has a weight.
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


def decimal_text(value: Decimal, *, least_places: int, most_places: int) -> str:
    """A decimal for the wire, never in scientific writing: 12.5 → "12.50". `ValueError` when it has more places."""
    places = max(least_places, -int(value.normalize(_EXACT).as_tuple().exponent))
    if places > most_places:
        raise ValueError(f"more than {most_places} places")
    return f"{value:.{places}f}"
