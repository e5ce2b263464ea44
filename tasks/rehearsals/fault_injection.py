"""Translate the faults that a rehearsal asks for into the sandbox's switches and fault rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Trouble = Literal["busy", "lost-answers", "outage", "rejections", "slow"]
Company = dict[str, Any]
"""A company in the form that the sandbox's verb `seed` accepts."""


@dataclass(frozen=True, slots=True)
class SandboxFaults:
    """Settings of the sandbox: switches by name, and fault rules."""

    switches: Mapping[str, Any]
    faults: Sequence[Mapping[str, Any]]


_FAULTS: Final[Mapping[Trouble, Mapping[str, Any]]] = {
    "busy": {"operation": "notes.create", "kind": "status_429", "seconds": 0, "share": 0.05},
    "lost-answers": {"operation": "notes.create", "kind": "lose_answer", "share": 0.05},
    "outage": {"operation": "batches.*", "kind": "status_500", "share": 0.1},
}
_SWITCHES: Final[Mapping[Trouble, Mapping[str, Any]]] = {
    "rejections": {"rejection_share": 0.1},
    "slow": {"fixed_latency_ms": 200},
}


def sandbox_faults(troubles: Sequence[Trouble]) -> SandboxFaults:
    """Return the sandbox's switches and fault rules that cause these troubles."""
    switches: dict[str, Any] = {"advance": "at_once"}
    for each in troubles:
        switches |= _SWITCHES.get(each, {})
    return SandboxFaults(switches, [_FAULTS[each] for each in troubles if each in _FAULTS])
