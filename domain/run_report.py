"""The report of a station when it stops: small counts and an ending, never data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from domain.problems import Problem


class Ending(StrEnum):
    """Why a station stopped."""

    DONE = "done"
    """No work is left for this station."""
    WAITING = "waiting"
    """The subject is due again at a time in the ledger; a sweep continues it."""
    BUSY = "busy"
    """Another worker has the lease, or the subject's state is not one of this station's."""
    DISTURBED = "disturbed"
    """A person has to decide."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One station's work on one subject: counts by word, the ending, and remarks for a person.

    `subject` is the name for people ("batch 17"); `batch_id` is the ledger's id where the subject is a batch.
    """

    station: str
    subject: str
    ending: Ending = Ending.DONE
    counts: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[Problem, ...] = ()
    batch_id: int | None = None
