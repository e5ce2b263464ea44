"""Money: truncated shares, decimals to and from the wire, reais as people read them."""

from decimal import ROUND_DOWN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import money

CENTS = st.integers(0, 10**14)
RATES = st.integers(0, 10_000)


@pytest.mark.parametrize(
    ("cents", "rate_bp", "share"),
    [
        (9_999, 500, 499),
        (9_000, 65, 58),
        (99, 500, 4),
        (140_867, 65, 915),
        (100, 0, 0),
        (0, 500, 0),
        (100, 10_000, 100),
    ],
)
def test_a_share_is_cut_and_never_rounded(cents, rate_bp, share):
    assert money.truncate_share(cents, rate_bp) == share


@given(CENTS, RATES)
def test_a_share_is_the_exact_product_cut_to_cents(cents, rate_bp):
    exact = Decimal(cents) * Decimal(rate_bp) / Decimal(10_000)
    assert money.truncate_share(cents, rate_bp) == int(exact.to_integral_value(rounding=ROUND_DOWN))


@given(CENTS, RATES, RATES)
def test_separate_shares_never_exceed_the_common_share(cents, one, other):
    apart = money.truncate_share(cents, one) + money.truncate_share(cents, other)
    assert 0 <= money.truncate_share(cents, one + other) - apart <= 1


@pytest.mark.parametrize(("cents", "rate_bp"), [(-1, 500), (100, -1)])
def test_a_share_of_less_than_nothing_is_refused(cents, rate_bp):
    with pytest.raises(ValueError):
        money.truncate_share(cents, rate_bp)


@given(st.integers(-(10**15), 10**15))
def test_cents_survive_the_wire_as_text(cents):
    assert money.from_wire(money.to_wire(cents)) == cents


@pytest.mark.parametrize(
    ("wire", "cents"),
    [("93.85", 9_385), ("93.8", 9_380), ("93", 9_300), ("93.850", 9_385), ("-1.00", -100), (93, 9_300), (0.65, 65)],
)
def test_the_wire_may_say_a_decimal_as_text_or_number(wire, cents):
    assert money.from_wire(wire) == cents


@pytest.mark.parametrize("wire", ["", "1,23", "1.234", "1.005", "R$ 1.00", "1e3", 1e20, 0.125, True, "nan", " 1.00"])
def test_a_fraction_of_a_cent_is_refused_not_rounded(wire):
    with pytest.raises(ValueError):
        money.from_wire(wire)


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "R$ 0,00"),
        (5, "R$ 0,05"),
        (123_456, "R$ 1.234,56"),
        (123_456_789_00, "R$ 123.456.789,00"),
        (-150, "-R$ 1,50"),
    ],
)
def test_reais_read_as_in_brazil(cents, text):
    assert money.format_brl(cents) == text
