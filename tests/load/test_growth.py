"""The bench of growth stages every step, and compares the last with the first."""

from tests.load import growth


def test_each_step_is_staged_and_judged():
    rows = list(growth.rows(notes=8, step=2))
    assert [row.name for row in rows] == ["P11"] * 4
    assert min(row.measured for row in rows) > 0


def test_growing_time_or_memory_misses_the_target():
    seconds = [1.0] * 50 + [1.2] * 50
    resident_mb = [100.0] * 50 + [120.0] * 50
    assert [row.is_met for row in growth.judged("it", seconds, resident_mb)] == [False, False]
    assert [row.is_met for row in growth.judged("it", [1.0] * 100, [100.0] * 100)] == [True, True]
