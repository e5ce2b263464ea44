"""The bench of pulls works: both ways fetch every invoice, and the ratio decides."""

import asyncio

from tests.load import pulls


def test_both_ways_fetch_every_invoice(tmp_path):
    with pulls.running_responder(250) as address:
        assert asyncio.run(pulls.pull_bare(f"{address}/0")) == 250
        assert asyncio.run(pulls.pull_mirrored(f"{address}/0", tmp_path)) == 250


def test_the_row_judges_by_the_ratio():
    assert [pulls.judged(100, ratio, 2.0).is_met for ratio in (0.81, 0.79)] == [True, False]
