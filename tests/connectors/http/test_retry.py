"""Repeating is a pure decision: which errors, how often, after which wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.http import errors
from connectors.http.calls import Call
from connectors.http.retry import Patience, decide

READ = Call(method="GET", path="/api/v1", is_write=False)
WRITE = Call(method="POST", path="/api/v1/nfse", is_write=True, expect=frozenset({201}))
KINDS = [
    errors.Unreachable,
    errors.TooLate,
    errors.Busy,
    errors.Broken,
    errors.Doubtful,
    errors.Refused,
    errors.NotFound,
    errors.Conflict,
    errors.Disturbed,
    errors.Denied,
    errors.Unreadable,
]
PATIENCE = Patience(tries=4, first_wait_s=1.0, longest_wait_s=30.0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_class_decides_whether_to_retry(kind):
    error = kind("GET x")
    assert (decide(error, 1, READ, patience=PATIENCE, draw=0.5) is not None) == (
        kind in {errors.Unreachable, errors.Busy, errors.Broken}
    )
    assert (decide(error, 1, WRITE, patience=PATIENCE, draw=0.5) is not None) == (
        kind in {errors.Unreachable, errors.Busy}
    )


def test_waits_double_and_are_spread():
    error = errors.Unreachable("GET x")
    assert [decide(error, attempt, READ, patience=PATIENCE, draw=0.0) for attempt in (1, 2, 3, 4)] == [
        0.5,
        1.0,
        2.0,
        None,
    ]
    assert [decide(error, attempt, READ, patience=PATIENCE, draw=0.5) for attempt in (1, 2, 3)] == [0.75, 1.5, 3.0]


def test_a_requested_wait_is_obeyed_in_full_or_not_at_all():
    def wait(seconds):
        return decide(errors.Busy("GET x", retry_after=seconds), 1, READ, patience=PATIENCE, draw=0.0)

    assert wait(20.0) == 20.0
    assert wait(0.0) == 0.5
    assert wait(30.1) is None
    assert wait(None) == 0.5


@given(
    st.sampled_from(KINDS),
    st.integers(1, 50),
    st.sampled_from([READ, WRITE]),
    st.floats(0, 1, exclude_max=True),
    st.none() | st.floats(0, 1e9),
)
def test_every_wait_is_bounded_and_every_call_ends(kind, attempt, call, draw, retry_after):
    wait = decide(kind("GET x", retry_after=retry_after), attempt, call, patience=PATIENCE, draw=draw)
    assert wait is None or (attempt < PATIENCE.tries and 0 <= wait <= PATIENCE.longest_wait_s)
