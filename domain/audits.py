"""What became of every number of a serie, in five words.

A number is given once, for ever. So each number from a serie's first to its last must be explained: by a living
invoice, by the reason for which it was retired, by the invoice that took its place, or as an open question.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

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


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    """One number. `because` is why it was retired; `replaced_by` the serie and number that took its place."""

    number: int
    standing: Standing
    state: InvoiceState
    invoice_id: int
    remote_id: int | None
    nfse_number: str | None
    because: str
    replaced_by: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers `first` to `last` that nobody was given. `is_skipped`: the serie was started anew behind them."""

    first: int
    last: int
    is_skipped: bool

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SerieAudit:
    """One serie of one emitter.

    `latest` is the highest number that the provider shows, None where it shows none or was not asked; `problem` says
    that somebody else uses the serie, or why the provider could not be asked.
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

    @property
    def counts(self) -> Mapping[Standing, int]:
        """How many numbers stand in each way."""
        return Counter(line.standing for line in self.lines)

    @property
    def gaps(self) -> list[Gap]:
        """Numbers below the next one that the ledger gave to nobody."""
        return gaps_in([line.number for line in self.lines], first=self.first_number, following=self.next_number)

    @property
    def is_explained(self) -> bool:
        """Nothing is unexplained, no hole is left open, and nobody else uses the serie."""
        is_whole = all(gap.is_skipped for gap in self.gaps)
        return is_whole and self.problem is None and not self.counts.get(Standing.UNEXPLAINED)


def standing_of(state: InvoiceState, *, is_replaced: bool, is_retired: bool) -> Standing:
    """How the number of an invoice in this state is explained."""
    if state in _OPEN_QUESTIONS:
        return Standing.UNKNOWN
    if state in LIVING:
        return Standing.LIVING
    if not is_retired:
        return Standing.UNEXPLAINED
    return Standing.REPLACED if is_replaced else Standing.RETIRED


def gaps_in(numbers: Iterable[int], *, first: int, following: int) -> list[Gap]:
    """Runs of numbers below `following` that are missing among `numbers`, which ascend.

    The serie begins at `first`, or at the first number given where a person let it go on at `first` later; what lies
    between is skipped on purpose.
    """
    found = []
    expected: int | None = None
    for number in (*numbers, following):
        if expected is None:
            expected = min(first, number)
        if number > expected:
            found += _split(expected, number - 1, first)
        expected = number + 1
    return found


def _split(start: int, end: int, first: int) -> list[Gap]:
    """A run of missing numbers, parted where the serie was started anew."""
    if start < first <= end:
        return [Gap(start, first - 1, is_skipped=True), Gap(first, end, is_skipped=False)]
    return [Gap(start, end, is_skipped=end < first)]
