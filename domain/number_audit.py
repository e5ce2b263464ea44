"""Give every number of a serie one of five explanations.

The ledger gives each number only once. So each number from a serie's first to its last needs an explanation: a living
invoice, the reason why the number was retired, the invoice that replaced it, or an open question.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from domain.problems import Problem
from domain.states import LIVING, InvoiceState


class Explanation(StrEnum):
    LIVING = "living"
    """An invoice with this number is issued or on its way."""
    RETIRED = "retired"
    """The invoice is dead and nothing replaced it; the ledger has the reason."""
    REPLACED = "replaced"
    """The invoice is dead, and another invoice bills the same charge."""
    UNKNOWN = "unknown"
    """Nobody knows yet whether the provider has the invoice."""
    UNEXPLAINED = "unexplained"
    """The invoice is dead and the ledger has no reason: an error."""


_OPEN_QUESTIONS = frozenset({InvoiceState.POSTING, InvoiceState.IN_DOUBT, InvoiceState.UNRESOLVED})


class Absence(StrEnum):
    """Why the ledger gave a number to no invoice."""

    SKIPPED = "skipped"
    """A person let the serie continue at a later number."""
    LOST = "lost"
    """The provider has our note with this number; the ledger lost its row."""
    OPEN = "open"
    """No reason is known: an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    """One number of a serie that the ledger gave to an invoice.

    Attributes:
        explanation: How the invoice explains the number.
        because: Why the number was retired; empty for a number in use.
        replaced_by: Serie and number of the invoice that replaced this one; empty without a replacement.
        errors: The provider's or the city's messages about the invoice, as the ledger stores them.
    """

    number: int
    explanation: Explanation
    state: InvoiceState
    invoice_id: int
    remote_id: int | None
    nfse_number: str | None
    because: str
    replaced_by: str
    errors: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """The numbers `first` to `last` that no invoice has, and why."""

    first: int
    last: int
    why: Absence

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SerieAudit:
    """The numbers of one serie of one emitter, in the ledger and at the provider.

    Attributes:
        lines: The numbers that the ledger gave to invoices, ascending.
        latest: The highest number that the provider shows; None if it shows none.
        problem: Another system seems to use the serie, or the provider could not be asked; None otherwise.
        is_asked: The provider answered the questions about the serie.
        lost: Numbers of invoices at the provider whose ledger rows were lost.
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
    def counts(self) -> Mapping[Explanation, int]:
        """Return how many numbers have each explanation."""
        return Counter(line.explanation for line in self.lines)

    @property
    def first_given(self) -> int:
        """Return the lowest number given to an invoice; `next_number` where there is none."""
        return self.lines[0].number if self.lines else self.next_number

    @property
    def gaps(self) -> list[Gap]:
        """Return the numbers below `next_number` that the ledger gave to no invoice."""
        given = [line.number for line in self.lines]
        return gaps_in(given, first=self.first_number, following=self.next_number, lost=self.lost)

    @property
    def are_numbers_explained(self) -> bool:
        """Return whether every number is explained and no gap is open."""
        is_whole = all(gap.why is not Absence.OPEN for gap in self.gaps)
        return is_whole and not self.counts.get(Explanation.UNEXPLAINED)

    @property
    def is_explained(self) -> bool:
        """Return whether every number is explained and `problem` is None."""
        return self.are_numbers_explained and self.problem is None


def explanation_of(state: InvoiceState, *, is_replaced: bool, is_retired: bool) -> Explanation:
    """Return how an invoice in this state explains its number."""
    if state in _OPEN_QUESTIONS:
        return Explanation.UNKNOWN
    if state in LIVING:
        return Explanation.LIVING
    if not is_retired:
        return Explanation.UNEXPLAINED
    return Explanation.REPLACED if is_replaced else Explanation.RETIRED


def gaps_in(numbers: Iterable[int], *, first: int, following: int, lost: Collection[int] = ()) -> list[Gap]:
    """Return the runs of numbers below `following` that are missing in `numbers`. `numbers` must ascend.

    The serie begins at `first`, or at the lowest given number if a person let it continue at `first` later. The numbers
    between the two are skipped on purpose, except those in `lost`.
    """
    found: list[Gap] = []
    ours = sorted(lost)
    expected: int | None = None
    for number in (*numbers, following):
        if expected is None:
            expected = min(first, number, *ours[:1])
        if number > expected:
            found += _join_lost_gaps(_split_at_lost(expected, number - 1, first, ours))
        expected = number + 1
    return found


def _split_at_lost(start: int, end: int, first: int, lost: Sequence[int]) -> Iterator[Gap]:
    """Split a run of missing numbers at each number in `lost` (ascending) and at `first`."""
    within = lost[bisect_left(lost, start) : bisect_right(lost, end)]
    for number in within:
        if number > start:
            yield from _split_at_first(start, number - 1, first)
        yield Gap(number, number, Absence.LOST)
        start = number + 1
    if start <= end:
        yield from _split_at_first(start, end, first)


def _join_lost_gaps(parts: Iterable[Gap]) -> list[Gap]:
    found: list[Gap] = []
    for each in parts:
        if found and found[-1].why is each.why is Absence.LOST:
            found[-1] = Gap(found[-1].first, each.last, each.why)
        else:
            found.append(each)
    return found


def _split_at_first(start: int, end: int, first: int) -> list[Gap]:
    if start < first <= end:
        return [Gap(start, first - 1, Absence.SKIPPED), Gap(first, end, Absence.OPEN)]
    return [Gap(start, end, Absence.SKIPPED if end < first else Absence.OPEN)]
