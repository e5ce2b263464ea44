"""Switches for what the documents leave open: each value is a possible behaviour of the real provider.

| switch | values (default first) | meaning |
|---|---|---|
| `batch_id` | honour, ignore | whether a note posted with `batch_id` joins the batch [A notes 1.1] |
| `attach_after_send` | scheduled, created, refuse | the status of a note attached to a sent batch [A notes 1.4] |
| `duplicate_rps` | accept, refuse | a second note of one emitter, serie, number; always a violation [A notes 1.29] |
| `gap` | accept, refuse | a number that leaves a gap after the serie's latest |
| `taker_copied` | yes, no | whether a note keeps its taker as it was at creation [A notes 1.21] |
| `latest_counts` | created, issued | the notes that `latest_number` counts [A notes 1.28] |
| `competence_shape` | date, datetime | the form of `competence` in answers [A notes 1.26] |
| `list_order` | newest, oldest | order of the lists of notes; newest first shifts pages while notes appear |
| `lone_status` | processing, scheduled | the first status of a note without a batch [A notes 1.2] |
| `history_token` | masked, real | whether a history shows the account's own token, as observed once [A notes 1.9] |
| `production` | no, yes | whether an emitter's city and environment can be changed |
| `cancellation` | accept, refuse | the city's answer to a cancellation [A notes 1.7] |
| `replacement` | cancel, keep, ignore | whether a replacement ends the old note, or is ignored [A notes 1.30] |
| `advance` | seconds, looks, at_once | what advances a sent note: time, reads of it or its batch, any request |
| `advance_seconds` | 0.6 | with seconds: the longest time of a note; each takes its own, repeatable share |
| `advance_looks` | 2 | with looks: the number of reads |
| `rejection_share` | 0.0 | the share of notes that the city rejects |
| `rejection_seed` | 0 | selects these notes |
| `webhook_retry_seconds` | 0.5 | the wait before the next attempt after a delivery without a 200 |
| `fixed_latency_ms` | 0 | the delay of every answer |
"""

from collections.abc import Mapping
from typing import Final

from connectors.emulation.switches import Switches

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "batch_id": ("honour", "ignore"),
    "attach_after_send": ("scheduled", "created", "refuse"),
    "duplicate_rps": ("accept", "refuse"),
    "gap": ("accept", "refuse"),
    "taker_copied": ("yes", "no"),
    "latest_counts": ("created", "issued"),
    "competence_shape": ("date", "datetime"),
    "list_order": ("newest", "oldest"),
    "lone_status": ("processing", "scheduled"),
    "history_token": ("masked", "real"),
    "production": ("no", "yes"),
    "cancellation": ("accept", "refuse"),
    "replacement": ("cancel", "keep", "ignore"),
    "advance": ("seconds", "looks", "at_once"),
}
_NUMBERS: Final[Mapping[str, float]] = {
    "advance_seconds": 0.6,
    "advance_looks": 2,
    "rejection_share": 0.0,
    "rejection_seed": 0,
    "webhook_retry_seconds": 0.5,
    "fixed_latency_ms": 0,
}
_SWITCHES: Final = Switches(_CHOICES, _NUMBERS)
DEFAULTS: Final = _SWITCHES.defaults()
checked: Final = _SWITCHES.checked
