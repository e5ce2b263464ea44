"""Switches accept only known keys and values."""

import pytest

from connectors.nfse.emulator.switches import DEFAULTS, checked


def test_defaults_are_the_worst_provider_that_is_likely():
    assert DEFAULTS["attach_after_send"] == "scheduled"
    assert (DEFAULTS["duplicate_rps"], DEFAULTS["gap"], DEFAULTS["batch_id"]) == ("accept", "accept", "honour")


def test_known_values_pass():
    assert checked({"gap": "refuse", "advance_seconds": 2}) == {"gap": "refuse", "advance_seconds": 2}


@pytest.mark.parametrize(
    "change", [{"gab": "refuse"}, {"gap": "maybe"}, {"advance_seconds": -1}, {"advance_looks": True}]
)
def test_nonsense_is_refused_in_words(change):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        checked(change)
