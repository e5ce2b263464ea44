"""What document 002 leaves open about the identity service, as switches: each value is a service that might be real.

| switch | values (default first) | what it decides |
|---|---|---|
| `identity_account_shape` | object, array | how one account is answered [A 4.3] |
| `identity_forbidden` | html, json | the body of a 403 for another application's account [A 4.4] |
| `identity_member_added` | created, ok | the status of a member that was added: 201 or 200 [A 4.5] |
| `identity_member_limit` | 10 | how many members an account may have; one more answers 404 |
"""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.switches import Switches

PREFIX: Final = "identity_"
"""How the names of all these begin, so that they can be set together with another emulator's."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "identity_account_shape": ("object", "array"),
    "identity_forbidden": ("html", "json"),
    "identity_member_added": ("created", "ok"),
}
_NUMBERS: Final[Mapping[str, float]] = {"identity_member_limit": 10}
_SWITCHES: Final = Switches(_CHOICES, _NUMBERS)
DEFAULTS: Final = _SWITCHES.defaults()
checked: Final = _SWITCHES.checked
