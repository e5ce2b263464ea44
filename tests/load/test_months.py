"""The bench of a month measures two whole months, and its row judges by their ratio."""

from tests.load import months


def test_contracts_and_sheet_are_both_staged_whole() -> None:
    ours, sheet = months.measured(30)
    assert min(ours, sheet) > 0
    assert [months.judged(30, [ratio], 1.0).is_met for ratio in (1.2, 1.4)] == [True, False]
