"""Dates, documents and ids in the observed shapes."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.nfse.shapes import BRASILIA, canonical_document, read_day, read_object


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


def test_documents_lose_their_punctuation_only():
    assert canonical_document("99.abc.001/0001-57") == "99ABC001000157"
    assert canonical_document("990.000.001-30") == "99000000130"
    assert canonical_document(None) is None
    assert canonical_document("  ") is None


def test_what_is_no_object():
    assert read_object({"a": 1}) == {"a": 1}
    with pytest.raises(TypeError):
        read_object([])
