"""The bench of the orchestrator: each way posts every note, and the measured shares decide."""

import asyncio
from pathlib import Path

import pytest

from tests.load import flowing, orchestrating
from tests.load.flowing import Run
from tests.load.responder import running_responder


@pytest.mark.prefect
@pytest.mark.usefixtures("orchestrator")
def test_each_way_of_running_posts_all_notes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    with running_responder() as address:
        flowing.post_rows(f"{address}/0", 3)
        for name, value in orchestrating.settings(f"{address}/0", tmp_path).items():
            monkeypatch.setenv(name, value)
        for way in ("flow", "plain"):
            flowing.plan_notes(2)
            asyncio.run(flowing.WAYS[way](address, 2))
            assert flowing.left() == 0


def test_the_rows_judge_by_the_whole_time_and_by_the_share():
    judged = [orchestrating.beside_rows(Run(20.0, 40.0, 1_000), Run(1.0, 2.0, 2), 1_000)]
    judged += orchestrating.beside_none(Run(100.0, 101.0, 130), Run(96.0, 96.0, 0), 50_000)
    assert [(row.name, round(row.measured, 2), row.is_met) for row in judged] == [
        ("P3", 20.0, True),
        ("P13", 0.04, True),
        ("P13", 130, False),
    ]
