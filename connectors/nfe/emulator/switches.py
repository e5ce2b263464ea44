"""Switches for what document 001 leaves open: each value is a possible behaviour of the real provider.

| switch | values (default first) | meaning |
|---|---|---|
| `product_extensions` | on, off | whether reading, listing and `remote_id` exist [A 2.1] |
| `product_names` | both, table, examples | the field names of an organization in answers [A 2.2] |
| `product_errors` | list, object, text, texts | the shape of `errors` in a 422 [A 2.8] |
| `product_filter` | honour, ignore | whether a list applies its filters [A 2.6] |
| `product_duplicate` | reject, accept | a reused number: rejected by the authority, or issued; always a violation |
| `product_events` | at_once, later | a cancellation or correction is decided in its answer, or later [A 2.20] |
| `product_advance` | seconds, looks, at_once | what advances an invoice: time, reads of it, any request |
| `product_advance_seconds` | 0.6 | with seconds: the longest time of an invoice; each takes its own, repeatable share |
| `product_advance_looks` | 2 | with looks: the number of reads |
| `product_rejection_share` | 0.0 | the share of invoices that the tax authority rejects |
| `product_rejection_seed` | 0 | selects these invoices |
"""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.switches import Switches

PREFIX: Final = "product_"
"""The prefix of these names, so that one request can set the switches of several emulators."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "product_extensions": ("on", "off"),
    "product_names": ("both", "table", "examples"),
    "product_errors": ("list", "object", "text", "texts"),
    "product_filter": ("honour", "ignore"),
    "product_duplicate": ("reject", "accept"),
    "product_events": ("at_once", "later"),
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
