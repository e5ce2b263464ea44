"""Values of the product API: the client accepts several forms of a value, but only one form of an id."""

from datetime import UTC, datetime

import pytest

from connectors.nfe.shapes import read_instant, read_number


@pytest.mark.parametrize("text", ["2026-11-20T12:00:00-03:00", "2026-11-20T15:00:00Z", "2026-11-20T12:00:00"])
def test_an_instant_is_aware_and_in_utc(text):
    assert read_instant(text) == datetime(2026, 11, 20, 15, tzinfo=UTC)


def test_no_instant_is_none_and_a_wrong_one_an_error():
    assert (read_instant(None), read_instant("")) == (None, None)
    for wrong in (7, "soon"):
        with pytest.raises((TypeError, ValueError)):
            read_instant(wrong)


def test_a_number_may_come_as_its_digits():
    assert [read_number(value) for value in (7, "7", None)] == [7, 7, None]
    for wrong in (True, 7.0, "x"):
        with pytest.raises((TypeError, ValueError)):
            read_number(wrong)
