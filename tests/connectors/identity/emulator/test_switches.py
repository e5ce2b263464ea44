"""Switches of the identity service."""

import pytest

from connectors.identity.emulator.switches import DEFAULTS, PREFIX, checked


def test_all_begin_alike():
    assert all(name.startswith(PREFIX) for name in DEFAULTS)


@pytest.mark.parametrize("changes", [{"identity_forbidden": "x"}, {"identity_member_limit": -1}, {"identity_x": 1}])
def test_nonsense_is_refused(changes):
    with pytest.raises(ValueError, match="identity_"):
        checked(changes)
