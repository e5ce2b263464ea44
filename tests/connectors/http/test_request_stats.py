"""A session's statistics: it counts each request by how it ended."""

import logging
from datetime import UTC, datetime, timedelta

import pytest

from connectors.http.calls import Call
from connectors.http.request_stats import BUCKETS_S, SILENT, RequestStats, bucket_of
from domain.competence import BRASILIA

CALL = Call(method="GET", path="/api/v1/takers/7", is_write=False)


@pytest.mark.parametrize(("took_s", "bucket"), [(0.05, 0), (0.1, 0), (0.2, 1), (29.0, 7), (31.0, len(BUCKETS_S))])
def test_a_latency_falls_into_its_bucket(took_s: float, bucket: int):
    assert bucket_of(took_s) == bucket


@pytest.mark.parametrize(
    ("header", "offset_s"),
    [
        ("Sun, 22 Nov 2026 12:00:25 GMT", 5.0),
        ("Sun, 22 Nov 2026 12:00:01 GMT", 0.0),
        ("Sun, 22 Nov 2026 11:59:57 GMT", -3.0),
        ("yesterday", None),
        (None, None),
    ],
)
def test_the_provider_s_clock_is_compared_with_ours(header: str | None, offset_s: float | None):
    asked_at = datetime(2026, 11, 22, 12, tzinfo=UTC)
    date = None if header is None else (header, asked_at, asked_at + timedelta(seconds=20))
    assert RequestStats(date=date).clock_offset_s == offset_s


@pytest.mark.parametrize(
    "header",
    [
        "Fri, 31 Dec 9999 23:59:59 -1200", "Mon, 01 Jan 0001 00:00:00 +1200", "Sun, 22 Nov 2026 12:00:00 +9999",
        "Sun, 22 Nov 2026 12:00:00 +99999999999999999999",
    ],
)  # fmt: skip
def test_no_clock_of_a_provider_is_beyond_our_calendar(header: str):
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    seen = RequestStats(date=(header, now, now))
    at = seen.provider_at
    assert at is None or [(at + timedelta(days=days)).astimezone(BRASILIA) for days in (-1, 1)]
    assert (seen.clock_offset_s is None) is (at is None)


def test_requests_are_counted_by_outcome_and_latency(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, "faturista.http")
    seen = RequestStats()
    for status in (200, 201, 503, None):
        seen.add(CALL, status, 0.05)
    assert seen.requests == {("2xx", 0): 2, ("5xx", 0): 1, (SILENT, 0): 1}
    assert seen.seconds["2xx", 0] == pytest.approx(0.1)
    assert [record.getMessage() for record in caplog.records][:1] == ["GET takers/{id}: 2xx"]
