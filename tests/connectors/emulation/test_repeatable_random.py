"""The random choices are the same in every process."""

from hypothesis import given
from hypothesis import strategies as st

from connectors.emulation.repeatable_random import code, fraction


@given(st.lists(st.one_of(st.integers(), st.text())))
def test_fraction_is_a_fraction_and_repeatable(parts):
    assert 0 <= fraction(*parts) < 1
    assert fraction(*parts) == fraction(*parts)


def test_known_values_do_not_move_between_processes():
    assert round(fraction("rejected", 0, 1, "F", 1), 6) == 0.575729
    assert code("key", 1, 1) != code("key", 1, 2)
    assert len(code("key", 1, 1)) == 8
