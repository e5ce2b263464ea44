"""Dates, documents and ids in the observed shapes."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.nfse.shapes import BRASILIA, read_day


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-01",
        "2026-11-01T00:00:00",
        "2026-11-01T00:00:00Z",
        "2026-11-01T00:00:00-03:00",
        "2026-11-01T03:00:00Z",
        "2026-11-01T00:00:00.000Z",
    ],
)
def test_the_first_of_a_month_stays_in_its_month(text):
    assert read_day(text) == date(2026, 11, 1)


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_a_day_survives_every_way_of_writing_it(day):
    midnight = datetime(day.year, day.month, day.day, tzinfo=BRASILIA)
    for text in (day.isoformat(), midnight.isoformat(), midnight.astimezone(UTC).isoformat(), f"{day}T00:00:00Z"):
        assert read_day(text) == day


@pytest.mark.parametrize("text", ["", "11/2026", "2026-13-01", "amanhã", "0001-01-01T01:00:00+14:00"])
def test_what_is_no_date(text):
    with pytest.raises(ValueError, match=r".*"):
        read_day(text)
