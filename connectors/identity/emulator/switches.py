"""Switches for what document 002 leaves open about the identity service: each value is a possible behaviour.

| switch | values (default first) | meaning |
|---|---|---|
| `identity_account_shape` | object, array | the JSON form of one account [A 4.3] |
| `identity_forbidden` | html, json | the body of a 403 for another application's account [A 4.4] |
| `identity_member_added` | created, ok | the status after adding a member: 201 or 200 [A 4.5] |
| `identity_member_limit` | 10 | the most members of an account; one more answers 404 |
"""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.switches import Switches

PREFIX: Final = "identity_"
"""The prefix of these names, so that one request can set the switches of several emulators."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "identity_account_shape": ("object", "array"),
    "identity_forbidden": ("html", "json"),
    "identity_member_added": ("created", "ok"),
}
_NUMBERS: Final[Mapping[str, float]] = {"identity_member_limit": 10}
_SWITCHES: Final = Switches(_CHOICES, _NUMBERS)
DEFAULTS: Final = _SWITCHES.defaults()
checked: Final = _SWITCHES.checked
