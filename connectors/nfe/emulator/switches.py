"""What document 001 leaves open, as switches: each value is a provider that might be the real one.

| switch | values (default first) | what it decides |
|---|---|---|
| `product_extensions` | on, off | whether reading, listing and `remote_id` exist [A 2.1] |
| `product_names` | both, table, examples | by which names an organization is answered [A 2.2] |
| `product_errors` | list, object, text, texts | the shape of `errors` in a 422 [A 2.8] |
| `product_filter` | honour, ignore | whether a list heeds its filters [A 2.6] |
| `product_duplicate` | reject, accept | a number used again: rejected by the authority, or issued; always a violation |
| `product_advance` | seconds, looks, at_once | what brings an invoice on: time, looks at it, any request |
| `product_advance_seconds` | 0.6 | with seconds: the longest an invoice takes; each takes its own, repeatable share |
| `product_advance_looks` | 2 | with looks: how many |
| `product_rejection_share` | 0.0 | the share of invoices that the tax authority rejects |
| `product_rejection_seed` | 0 | decides which |
"""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.switches import Switches

PREFIX: Final = "product_"
"""How the names of all these begin, so that they can be set together with another emulator's."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "product_extensions": ("on", "off"),
    "product_names": ("both", "table", "examples"),
    "product_errors": ("list", "object", "text", "texts"),
    "product_filter": ("honour", "ignore"),
    "product_duplicate": ("reject", "accept"),
    "product_advance": ("seconds", "looks", "at_once"),
}
_NUMBERS: Final[Mapping[str, float]] = {
    "product_advance_seconds": 0.6,
    "product_advance_looks": 2,
    "product_rejection_share": 0.0,
    "product_rejection_seed": 0,
}
_SWITCHES: Final = Switches(_CHOICES, _NUMBERS)
DEFAULTS: Final = _SWITCHES.defaults()
checked: Final = _SWITCHES.checked
