"""What a station says when it stops: small counts and an ending, never data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from domain.problems import Problem


class Ending(StrEnum):
    """Why a station stopped."""

    DONE = "done"
    """Nothing of this is left to do here."""
    WAITING = "waiting"
    """Due again at a time that the ledger holds; a sweep continues it."""
    BUSY = "busy"
    """Somebody else holds the lease, or the thing is not in a state this station works on."""
    DISTURBED = "disturbed"
    """A person has to decide."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a station worked on: an entity, such as "batch" or "ledger", and its id or name if there are several."""

    entity: str
    key: int | str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """One station's work on one subject: counts by word, the ending, and what a person should know."""

    station: str
    subject: Subject
    ending: Ending = Ending.DONE
    counts: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[Problem, ...] = ()

    @property
    def batch_id(self) -> int | None:
        """Return the ledger's id of the batch, or None if the subject is not a batch."""
        return int(self.subject.key) if self.subject.entity == "batch" and self.subject.key is not None else None
