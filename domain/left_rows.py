"""Rows without an invoice: how many wait for an answer, have a fault, or are billed by another row."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.decisions import DecisionKind, kind_of
from domain.problems import Problem

STOPPED_BY: Final = "stopped_by"
"""A problem's parameter: the code of the other row's problem, if a row only waits for another row of its order."""
_REJECTED: Final = "row.rejected_unchanged"
_BILLED: Final = frozenset({"row.living", "row.living_unnumbered", "row.already_corrected"})


@dataclass(frozen=True, slots=True)
class LeftRows:
    """Number of rows of a reading that got no invoice: `held` until a person answers, `refused` for a fault.

    `rejected` counts the refused rows whose equal invoice the city or SEFAZ rejected before. `repeated` counts rows
    whose charge another row has billed; they need no correction. Two equal rows of one file are refused: a person
    decides whether both are meant.
    """

    held: int = 0
    refused: int = 0
    repeated: int = 0
    rejected: int = 0

    def report_counts(self) -> dict[str, int]:
        """Return the counts for a station's report; omit the held rows if there are none."""
        return {"refused": self.refused + self.repeated, **({"held": self.held} if self.held else {})}


def count_left(found: Iterable[Collection[Problem]]) -> LeftRows:
    """Count the rows by the kinds of their problems."""
    counts: Counter[str] = Counter()
    for problems in found:
        counts["repeated" if is_billed(problems) else "held" if is_held(problems) else "refused"] += 1
        counts["rejected"] += any(problem.code == _REJECTED for problem in problems)
    return LeftRows(**counts)


def is_billed(problems: Iterable[Problem]) -> bool:
    """Return whether another row has the invoice of a row with these problems."""
    return any(problem.code in _BILLED for problem in problems)


def is_held(problems: Collection[Problem]) -> bool:
    """Return whether a row waits for a person's answer alone, so that nothing in it need be corrected.

    A row that only waits for another row of its order is held if that one is.
    """
    return bool(problems) and all(kind_of(_blocking_code_of(each)) is DecisionKind.HELD for each in problems)


def blocking_code(problems: Sequence[Problem]) -> str:
    """Return the code of the problem that keeps a row from its invoice. A fault goes before a question."""
    codes = [_blocking_code_of(each) for each in problems]
    return next((code for code in codes if kind_of(code) is not DecisionKind.HELD), codes[0])


def _blocking_code_of(problem: Problem) -> str:
    return str(problem.params.get(STOPPED_BY, problem.code))
