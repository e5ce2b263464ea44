"""The states that a part of the journal leaves, as runs of neighbours."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from connectors.ledger.detached.carried import Run, after_line

LINES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 6), st.sampled_from("abc")).map(
        lambda each: Run(each[0], each[0] + each[1], each[2])
    )
)


@given(LINES)
def test_runs_have_the_last_state_of_each_id(lines):
    runs: list[Run] = []
    by_id: dict[int, str] = {}
    for line in lines:
        runs = after_line(runs, line)
        by_id |= dict.fromkeys(range(line.first_id, line.last_id + 1), line.becomes)
    assert {each: run.becomes for run in runs for each in range(run.first_id, run.last_id + 1)} == by_id
    assert sum(run.last_id - run.first_id + 1 for run in runs) == len(by_id)


@given(LINES)
def test_neighbours_in_one_state_are_one_run(lines):
    runs: list[Run] = []
    for line in lines:
        runs = after_line(runs, line)
    touching = pairwise(runs)
    assert not [each for each in touching if each[0].last_id + 1 == each[1].first_id and each[0][2] == each[1][2]]
