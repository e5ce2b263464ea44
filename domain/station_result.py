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
class Subject:
    """The subject of a station: an entity, such as "batch" or "ledger", and its id or name if there are several."""

    entity: str
    key: int | str | None = None


@dataclass(frozen=True, slots=True)
class StationResult:
    """One station's work on one subject: counts by word, the ending, and remarks for a person."""

    station: str
    subject: Subject
    ending: Ending = Ending.DONE
    counts: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[Problem, ...] = ()

    @property
    def batch_id(self) -> int | None:
        """Return the ledger's id of the batch, or None if the subject is not a batch."""
        return int(self.subject.key) if self.subject.entity == "batch" and self.subject.key is not None else None
