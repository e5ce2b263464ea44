"""The usual thresholds are back when the last one leaves, whoever that is."""

import gc
from contextlib import ExitStack

import pytest

from tasks.pacing.garbage import seldom_collected


def test_the_usual_comes_back_with_the_last_in_whatever_order_they_leave():
    usual = gc.get_threshold()
    first, second = ExitStack(), ExitStack()
    with second:
        with first:
            first.enter_context(seldom_collected())
            second.enter_context(seldom_collected())
            seldom = gc.get_threshold()
            assert (seldom[0] > usual[0], seldom[1:]) == (True, usual[1:])
        assert gc.get_threshold() == seldom
    assert gc.get_threshold() == usual


def test_an_error_brings_it_back_too():
    usual = gc.get_threshold()
    with pytest.raises(ValueError, match="wrong"), seldom_collected():
        raise ValueError("wrong")
    assert gc.get_threshold() == usual
