"""Bad switches are refused in words before they take effect."""

import pytest

from connectors.nfe.emulator.switches import DEFAULTS, PREFIX, checked


def test_every_switch_is_set_by_its_name():
    assert all(name.startswith(PREFIX) for name in DEFAULTS)
    assert checked(DEFAULTS) == DEFAULTS


@pytest.mark.parametrize(
    "wrong",
    [
        {"product_extensions": "yes"},
        {"product_speed": 1},
        {"product_advance_seconds": -1},
        {"product_advance_looks": "2"},
        {"product_rejection_share": True},
    ],
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(ValueError):
        checked(wrong)
