"""Quiet time begins at the last byte that may still be underway, and doubles with each doubt."""

from datetime import UTC, datetime, timedelta

import pytest

from connectors.ledger.observations.patience import quiet_after, quiet_end

LAST_BYTE = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("doubts", "seconds"), [(0, 40), (1, 40), (2, 80), (5, 640)])
def test_quiet_time_doubles_with_each_doubt(doubts: int, seconds: int):
    assert quiet_after(40, doubts) == seconds
    assert end(LAST_BYTE, None, doubts) == LAST_BYTE + timedelta(seconds=seconds)


@pytest.mark.parametrize(("ended", "begins"), [(-60, 0), (-20, 0), (-19, 1), (0, 20), (300, 320)])
def test_quiet_time_begins_later_after_a_takeover(ended: int, begins: int):
    settle_after = LAST_BYTE + timedelta(seconds=ended)
    assert end(LAST_BYTE, settle_after, 2) == LAST_BYTE + timedelta(seconds=begins + 80)


def test_a_note_without_a_last_byte_waits_for_the_takeover_alone():
    assert end(None, LAST_BYTE, 1) == LAST_BYTE + timedelta(seconds=60)
    assert end(None, None, 1) < LAST_BYTE


def end(last_byte_at: datetime | None, settle_after: datetime | None, doubts: int) -> datetime:
    return quiet_end(last_byte_at, settle_after, doubts, quiet_s=40, request_timeout_s=20)
