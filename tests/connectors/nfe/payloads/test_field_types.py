"""Values that the field types read, and how they write them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.nfe.payloads.field_types import Day, Decimals, Moment, Whole, Words


@given(st.integers(0, 10**13 - 1), st.integers(0, 99))
def test_a_decimal_is_read_and_written_without_loss(whole, part):
    money, exact = Decimals(15, 2), Decimal(f"{whole}.{part:02d}")
    for written in (f"{whole}.{part:02d}", f"000{whole}.{part:02d}000", exact):
        assert money.read(written) == exact
    assert money.write(exact) == f"{whole}.{part:02d}"
    assert Decimals(15, 2, is_number=True).write(exact) == float(exact)


@pytest.mark.parametrize(
    ("value", "text"), [("12.5", "12.50"), ("0.0123456789", "0.0123456789"), ("1E+2", "100.00"), ("7", "7.00")]
)
def test_a_price_keeps_its_places_and_two_at_least(value, text):
    price = Decimals(21, 10, least_places=2)
    assert price.write(price.read(Decimal(value))) == text
    with pytest.raises(ValueError):
        price.read("0.00000000001")


@pytest.mark.parametrize(
    ("value", "text"), [("2", "2.0000"), ("0.125", "0.1250"), ("1E+2", "100.0000"), ("0.00010", "0.0001")]
)
def test_a_quantity_has_four_places(value, text):
    quantity = Decimals(15, 4)
    assert quantity.write(quantity.read(Decimal(value))) == text
    with pytest.raises(ValueError):
        quantity.read("0.00001")


def test_a_city_code_is_sent_as_text():
    assert Whole(digits=7, is_text=True).write(3304557) == "3304557"
    assert Whole(digits=8, is_text=True).write(1310100) == "01310100"
    assert Whole(digits=7).write(33) == 33


@pytest.mark.parametrize(
    "value", ["1.005", 1.005, "-1", -1, "1e3", "NaN", float("inf"), "1" * 14, "", None, True, [], "1,00", "٣"]
)
def test_other_values_are_no_amount(value):
    with pytest.raises(ValueError):
        Decimals(15, 2).read(value)


@pytest.mark.parametrize(("value", "found"), [("abc", "abc"), (5, "5"), ("a\nb", "a\nb")])
def test_text_of_its_size_is_read(value, found):
    assert Words(5).read(value) == found


@pytest.mark.parametrize("value", ["", "abcdef", "é", "\x00", "\ud800", None, 1.5, True, [], 123456])
def test_other_values_are_no_text(value):
    with pytest.raises(ValueError):
        Words(5).read(value)


def test_signed_xml_may_hold_any_character():
    assert Words(is_free=True).read("<é\t/>") == "<é\t/>"
    for value in ("\ud800", "\0"):
        with pytest.raises(ValueError):
            Words(is_free=True).read(value)


@pytest.mark.parametrize("value", [-1, "x", "", 1.0, True, None, 1000, "1000", "0007", "9" * 5000, "²"])
def test_other_values_are_no_whole_number(value):
    with pytest.raises(ValueError):
        Whole(digits=3).read(value)
    assert Whole(digits=3).read("007") == 7


def test_days_and_moments_are_read_from_iso_text():
    assert Day().read("2026-11-20") == Day().read(date(2026, 11, 20)) == date(2026, 11, 20)
    assert Moment().read("2026-11-20T12:00:00Z") == datetime(2026, 11, 20, 12, tzinfo=UTC)
    for kind, value in (
        (Day(), datetime(2026, 11, 20, tzinfo=UTC)),
        (Day(), "x"),
        (Moment(), "2026-11-20"),
        (Moment(), 5),
    ):
        with pytest.raises(ValueError, match=r"field\.date|field\.instant"):
            kind.read(value)
