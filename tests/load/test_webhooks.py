"""The bench of webhooks knows every note, with hints and without, and floods a receiver that answers each delivery."""

import re

from tests.load import webhooks


def test_both_ways_end_and_every_delivery_is_answered():
    gain, flood = webhooks.rows(count=4, batch_size=4, takes_s=0.5, load_s=0.4)
    assert len(re.findall(r"[\d.]+ s, [1-9]\d* requests", gain.remarks[0])) == 2
    assert "200 answers" in flood.what
