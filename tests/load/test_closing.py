"""The bench of closings measures what it says: every invoice, read in each way and reported."""

import pandas as pd

from tests.load import closing


def test_each_way_reads_every_invoice(tmp_path) -> None:
    closing.measured("fill", str(tmp_path), 40)
    found = {way: closing.measured(way, str(tmp_path), 40).rows for way in closing.WAYS}
    assert found == {"bare": 40, "frame": 40, "chunks": 40, "report": 0}
    (columns,) = tmp_path.rglob("closing-*.parquet")
    assert pd.read_parquet(columns)["state"].tolist() == ["accepted"] * 40
