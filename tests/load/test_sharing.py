"""The bench of two workers judges by how much sooner they end."""

import pytest

from tests.load import sharing


@pytest.mark.parametrize(("two_s", "is_met"), [(50.0, True), (58.0, True), (60.0, False)])
def test_two_workers_are_judged_by_the_ratio(two_s: float, is_met: bool):
    row = sharing.judged(8_000, 100.0, two_s)
    assert (row.measured, row.is_met) == (100.0 / two_s, is_met)
