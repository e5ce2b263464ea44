"""Half up to the cent, and an amount spread over lines without losing a cent."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.products.arithmetic import apportion, decimal_places, half_up_share, line_cents, plain_decimal

CENTS = st.integers(0, 10**9)
QUANTITIES = st.decimals("0.0001", "99999", places=4)
PRICES = st.decimals("0.0001", "99999", places=10)


@pytest.mark.parametrize(("rate", "share"), [(1_700, 1_682), (300, 297), (400, 396)])
def test_a_share_is_rounded_half_up_as_the_provider_does(rate, share):
    assert half_up_share(9_897, rate) == share


def test_half_a_cent_goes_up():
    assert half_up_share(50, 100) == 1
    assert half_up_share(49, 100) == 0
    assert line_cents(Decimal("0.5"), Decimal("0.01")) == 1
    assert line_cents(Decimal("0.4999"), Decimal("0.01")) == 0


@given(CENTS, st.integers(0, 10_000))
def test_a_share_is_the_nearest_cent(amount, rate):
    exact = Fraction(amount * rate, 10_000)
    assert -Fraction(1, 2) < half_up_share(amount, rate) - exact <= Fraction(1, 2)


@given(QUANTITIES, PRICES)
def test_a_line_is_the_nearest_cent_of_the_exact_product(quantity, price):
    exact = Fraction(quantity) * Fraction(price) * 100
    assert -Fraction(1, 2) < line_cents(quantity, price) - exact <= Fraction(1, 2)


@pytest.mark.parametrize(("amount", "rate"), [(-1, 100), (100, -1)])
def test_nothing_negative_is_shared(amount, rate):
    with pytest.raises(ValueError):
        half_up_share(amount, rate)


@given(st.lists(CENTS, min_size=1, max_size=30).filter(any), st.data())
def test_shares_sum_to_the_total_within_their_weights(weights, data):
    total = data.draw(st.integers(0, sum(weights)))
    shares = apportion(total, weights)
    assert sum(shares) == total
    assert all(0 <= share <= weight for share, weight in zip(shares, weights, strict=True))
    assert all(abs(share - Fraction(total * w, sum(weights))) < 1 for share, w in zip(shares, weights, strict=True))


@given(st.lists(CENTS, min_size=1, max_size=12).filter(any), CENTS)
def test_shares_of_more_than_the_weights_sum_to_the_total(weights, total):
    assert sum(apportion(total, weights)) == total


def test_the_largest_remainder_gets_the_leftover_cent():
    assert apportion(1, [1, 2]) == (0, 1)
    assert apportion(1, [1, 1, 1]) == (1, 0, 0)
    assert apportion(100, [1, 1, 1]) == (34, 33, 33)


@pytest.mark.parametrize(("total", "weights"), [(1, []), (1, [0, 0]), (-1, [1]), (1, [2, -1])])
def test_a_total_without_weights_is_refused(total, weights):
    with pytest.raises(ValueError):
        apportion(total, weights)


def test_a_total_of_zero_gives_shares_of_zero():
    assert apportion(0, [0, 0]) == (0, 0)
    assert apportion(0, []) == ()


@pytest.mark.parametrize(
    ("value", "text", "places"),
    [
        ("2", "2", 0),
        ("2.0000", "2", 0),
        ("1E+2", "100", -2),
        ("0.125", "0.125", 3),
        ("0.00010", "0.0001", 4),
        ("123456789.0123456789", "123456789.0123456789", 10),
    ],
)
def test_a_decimal_has_one_spelling(value, text, places):
    assert plain_decimal(Decimal(value)) == text
    assert decimal_places(Decimal(value)) == places
