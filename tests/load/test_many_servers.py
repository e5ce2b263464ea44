"""A month under two servers is judged by what the checker finds."""

import pytest

from tests.load.many_servers import Month, judged


@pytest.mark.parametrize(("faults", "is_met"), [((), True), (("batch 3 is still sent",), False)])
def test_one_fault_fails_the_month(faults: tuple[str, ...], is_met: bool):
    row = judged(Month(4_000, 300.0, 4_001, 8, faults))
    assert row.is_met is is_met
    assert row.remarks[1:] == faults
