"""The bench of two workers judges by how much sooner they end than one worker."""

import pytest

from tests.load import sharing


@pytest.mark.parametrize(
    ("shared_low_s", "shared_high_s", "are_met"),
    [
        (100.0, 50.0, [True, True, True]),
        (110.0, 58.0, [True, True, False]),
        (112.0, 60.0, [False, False, False]),
    ],
)
def test_two_workers_are_judged_by_the_ratio(shared_low_s: float, shared_high_s: float, are_met: list[bool]):
    taken = {(16, 1): 100.0, (16, 2): shared_low_s, (32, 1): 52.0, (32, 2): shared_high_s}
    rows = list(sharing.judged(8_000, taken))
    assert [row.measured for row in rows] == [100.0 / shared_high_s, 100.0 / shared_low_s, 52.0 / shared_high_s]
    assert [row.is_met for row in rows] == are_met
