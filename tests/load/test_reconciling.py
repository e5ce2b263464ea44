"""The bench of reconciling sends and closes every note that it staged."""

import re

from tests.load import reconciling


def test_reconcile_reads_each_page_of_a_batch_once():
    (row,) = reconciling.rows(count=20, batch_size=10, latency_ms=0)
    (remark,) = row.remarks
    asked = dict(re.findall(r"(\w+): [\d.]+ s, (\d+) requests", remark))
    # Two batches: each is looked at, counted, its emitter and its serie looked at, and sent; then looked at, read as
    # one page of ten, and looked at again, its emitter too.
    assert (asked["release"], asked["close"]) == ("10", "8")
