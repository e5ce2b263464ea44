"""What became of every number of a serie, in five words.

A number is given once, for ever. So each number from a serie's first to its last must be explained: by a living
invoice, by the reason for which it was retired, by the invoice that took its place, or as an open question.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from domain.problems import Problem
from domain.states import LIVING, InvoiceState


class Standing(StrEnum):
    """How a number is explained."""

    LIVING = "living"
    """An invoice bears it that is issued, or on its way."""
    RETIRED = "retired"
    """Its invoice is dead and nothing took its place; the reason is on record."""
    REPLACED = "replaced"
    """Its invoice is dead, and another one bills the same charge."""
    UNKNOWN = "unknown"
    """Nobody knows yet whether the provider has it."""
    UNEXPLAINED = "unexplained"
    """Its invoice is dead and no reason is on record: that must not be."""


_OPEN_QUESTIONS = frozenset({InvoiceState.POSTING, InvoiceState.IN_DOUBT, InvoiceState.UNRESOLVED})


class Absence(StrEnum):
    """Why the ledger gave a number to nobody."""

    SKIPPED = "skipped"
    """A person let the serie go on behind it."""
    LOST = "lost"
    """The provider has a note of ours with it, whose row was lost with the ledger."""
    OPEN = "open"
    """Nobody knows: that must not be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    """One number. `because` is why it was retired; `replaced_by` the serie and number that took its place.

    `errors` are what the provider or the city said of its invoice, as the ledger keeps it.
    """

    number: int
    standing: Standing
    state: InvoiceState
    invoice_id: int
    remote_id: int | None
    nfse_number: str | None
    because: str
    replaced_by: str
    errors: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers `first` to `last` that nobody was given, and why."""

    first: int
    last: int
    why: Absence

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SerieAudit:
    """One serie of one emitter.

    `is_asked`: the provider told what it knows of the serie; `latest` is the highest number that it shows, None where
    it shows none. `problem` says that somebody else uses the serie, or why the provider could not be asked. `lost` are
    the numbers of notes whose rows were lost with the ledger.
    """

    emitter_name: str
    cnpj: str
    kind: str
    serie: str
    first_number: int
    next_number: int
    highest_posted: int
    lines: Sequence[NumberLine]
    latest: int | None
    problem: Problem | None
    is_asked: bool = True
    lost: frozenset[int] = frozenset()

    @property
    def counts(self) -> Mapping[Standing, int]:
        """How many numbers stand in each way."""
        return Counter(line.standing for line in self.lines)

    @property
    def first_given(self) -> int:
        """The lowest number that anybody was given; `next_number` where there is none."""
        return self.lines[0].number if self.lines else self.next_number

    @property
    def gaps(self) -> list[Gap]:
        """Numbers below the next one that the ledger gave to nobody."""
        given = [line.number for line in self.lines]
        return gaps_in(given, first=self.first_number, following=self.next_number, lost=self.lost)

    @property
    def are_numbers_explained(self) -> bool:
        """Nothing is unexplained, and no hole is left open."""
        is_whole = all(gap.why is not Absence.OPEN for gap in self.gaps)
        return is_whole and not self.counts.get(Standing.UNEXPLAINED)

    @property
    def is_explained(self) -> bool:
        """So are all numbers, and nothing tells that somebody else uses the serie."""
        return self.are_numbers_explained and self.problem is None


def standing_of(state: InvoiceState, *, is_replaced: bool, is_retired: bool) -> Standing:
    """Return how an invoice in this state explains its number."""
    if state in _OPEN_QUESTIONS:
        return Standing.UNKNOWN
    if state in LIVING:
        return Standing.LIVING
    if not is_retired:
        return Standing.UNEXPLAINED
    return Standing.REPLACED if is_replaced else Standing.RETIRED


def gaps_in(numbers: Iterable[int], *, first: int, following: int, lost: Collection[int] = ()) -> list[Gap]:
    """Runs of numbers below `following` that are missing among `numbers`, which ascend.

    The serie begins at `first`, or at the first number given where a person let it go on at `first` later; what lies
    between is skipped on purpose, but for what is `lost`.
    """
    found: list[Gap] = []
    ours = sorted(lost)
    expected: int | None = None
    for number in (*numbers, following):
        if expected is None:
            expected = min(first, number, *ours[:1])
        if number > expected:
            found += _joined(_parts(expected, number - 1, first, ours))
        expected = number + 1
    return found


def _parts(start: int, end: int, first: int, lost: Sequence[int]) -> Iterator[Gap]:
    """Split a run of missing numbers at each number in `lost` (ascending) and where the serie was started again."""
    within = lost[bisect_left(lost, start) : bisect_right(lost, end)]
    for number in within:
        if number > start:
            yield from _split(start, number - 1, first)
        yield Gap(number, number, Absence.LOST)
        start = number + 1
    if start <= end:
        yield from _split(start, end, first)


def _joined(parts: Iterable[Gap]) -> list[Gap]:
    found: list[Gap] = []
    for each in parts:
        if found and found[-1].why is each.why is Absence.LOST:
            found[-1] = Gap(found[-1].first, each.last, each.why)
        else:
            found.append(each)
    return found


def _split(start: int, end: int, first: int) -> list[Gap]:
    if start < first <= end:
        return [Gap(start, first - 1, Absence.SKIPPED), Gap(first, end, Absence.OPEN)]
    return [Gap(start, end, Absence.SKIPPED if end < first else Absence.OPEN)]
