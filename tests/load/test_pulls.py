"""The bench of pulls measures what it says: both ways fetch every invoice, and the line judges by the ratio."""

import asyncio

from tests.load import pulls


def test_both_ways_fetch_every_invoice(tmp_path):
    with pulls.running_responder(250) as address:
        assert asyncio.run(pulls.pull_bare(f"{address}/0")) == 250
        assert asyncio.run(pulls.pull_mirrored(f"{address}/0", tmp_path)) == 250


def test_the_line_judges_by_the_ratio(capsys):
    pulls.show(100, 0.81, 2.0)
    pulls.show(100, 0.79, 2.0)
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in said if line.startswith("P9")] == ["meets", "short"]
