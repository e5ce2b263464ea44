"""The bench of closings measures what it says: every invoice, read in each way and reported."""

import pandas as pd

from tasks.runtime import open_context
from tests.load import closing


def test_each_way_reads_every_invoice(tmp_path, monkeypatch) -> None:
    closing.measured("fill", str(tmp_path), 40)
    # one as the bench starts it, the others without a process of their own
    found = {"frame": closing.measured("frame", str(tmp_path), 40).rows}
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))
    monkeypatch.setenv("FATURISTA_LANGUAGE", "en")
    with open_context("local") as context:
        found |= {way: closing.WAYS[way](context, context.outbox) for way in closing.WAYS if way not in found}
    assert found == {"bare": 40, "frame": 40, "chunks": 40, "report": 0}
    (columns,) = tmp_path.rglob("closing-*.parquet")
    assert pd.read_parquet(columns)["state"].tolist() == ["accepted"] * 40
