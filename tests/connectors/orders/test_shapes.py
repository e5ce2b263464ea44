"""Values as the order service writes them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from connectors.http.wire_values import instant_to_wire
from connectors.orders.shapes import Cents, Instant, order_path


@given(st.dates(), st.times())
def test_an_instant_comes_back_as_it_was_written(day, time):
    text = f"{max(day.year, 1990):04d}-{day:%m}-{min(day.day, 28):02d} {time:%H:%M:%S}"
    assert instant_to_wire(TypeAdapter(Instant).validate_python(text)) == text


def test_an_offset_is_used_and_a_date_is_its_first_minute():
    read = TypeAdapter(Instant).validate_python
    assert read("2026-11-01T00:30:00+00:00") == datetime(2026, 11, 1, 0, 30, tzinfo=UTC)
    assert instant_to_wire(read("2026-11-01")) == "2026-11-01 00:00:00"


def test_a_naive_instant_is_not_sent():
    with pytest.raises(ValueError, match="time zone"):
        instant_to_wire(datetime.fromisoformat("2026-11-01"))


@pytest.mark.parametrize(("wire", "cents"), [("89.90", 8990), ("-8.9", -890), (12, 1200), (0.1, 10), ("0", 0)])
def test_decimals_are_read_as_cents(wire, cents):
    assert TypeAdapter(Cents).validate_python(wire) == cents


@pytest.mark.parametrize("wire", ["1.001", "1,00", "", None, True, "NaN", 1e30])
def test_a_bad_amount_is_refused(wire):
    with pytest.raises(ValueError):
        TypeAdapter(Cents).validate_python(wire)


def test_a_slug_stays_one_part_of_the_path():
    assert order_path("a/../b?c") == "/api/orders/a%2F..%2Fb%3Fc/"
