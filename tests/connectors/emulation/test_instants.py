"""Instants on the wire."""

import pytest

from connectors.emulation.instants import at, in_utc


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-11-30T22:30:00", "2026-12-01T01:30:00Z"),
        ("2026-11-30T22:30:00-03:00", "2026-12-01T01:30:00Z"),
        ("2026-11-30T22:30:00Z", "2026-11-30T22:30:00Z"),
    ],
)
def test_naive_means_brasilia_and_all_is_read_in_utc(text, read):
    assert in_utc(text) == read


def test_an_instant_has_microseconds_in_utc():
    assert at(0.5) == "1970-01-01T00:00:00.500000Z"
