"""What was decided about a sheet without asking a person: rows held, cells filled in, columns left aside, and where."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self, TypeAlias

from domain.problems import Problem

ROWS_KEPT: Final = 200
"""How many row numbers a decision keeps; it counts all of them."""
DECISIONS_AT_MOST: Final = 400
_BESIDE: Final = "…"

_Key: TypeAlias = tuple[str, str | None, str]
"""Code, column or field, and the word that the cells have in common."""


class DecisionKind(StrEnum):
    """How much a decision weighs, the worst first."""

    CONTRADICTED = "contradicted"
    HELD = "held"
    RELEASED = "released"
    CHOSEN = "chosen"
    FILLED = "filled"
    UNUSED = "unused"


_ORDER: Final = {kind: place for place, kind in enumerate(DecisionKind)}
_KINDS: Final[Mapping[str, DecisionKind]] = {
    "sheet.total_differs": DecisionKind.CONTRADICTED,
    "sheet.total_unreadable": DecisionKind.CONTRADICTED,
    "row.released": DecisionKind.RELEASED,
    "taker.name_released": DecisionKind.RELEASED,
    "amount.iss_released": DecisionKind.RELEASED,
    "row.hidden": DecisionKind.HELD,
    "row.not_wanted": DecisionKind.HELD,
    "sheet.hidden_rows": DecisionKind.HELD,
    "taker.name_differs": DecisionKind.HELD,
    "column.unused": DecisionKind.UNUSED,
    "column.similar": DecisionKind.UNUSED,
    "column.ignored": DecisionKind.UNUSED,
    "column.passed_over": DecisionKind.UNUSED,
    "row.notes_unprinted": DecisionKind.UNUSED,
    "sheet.notes_below": DecisionKind.UNUSED,
    "sheet.titles": DecisionKind.UNUSED,
    "sheet.hidden_sheets": DecisionKind.UNUSED,
    "file.macros_ignored": DecisionKind.UNUSED,
    "document.repaired": DecisionKind.FILLED,
    "row.filled_down": DecisionKind.FILLED,
    "template.by_option": DecisionKind.FILLED,
    "template.of_last_month": DecisionKind.FILLED,
    "description.of_template": DecisionKind.FILLED,
}


def kind_of(code: str) -> DecisionKind:
    """Return the kind of the decision that a problem's code tells."""
    return DecisionKind.HELD if code.startswith("held.") else _KINDS.get(code, DecisionKind.CHOSEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision, and the cells that it is about.

    `problem` is that of the first cell and has the sentence. `count` are all cells, `rows` the numbers of the first of
    them; `is_example`: other cells say something else than the first.
    """

    kind: DecisionKind
    problem: Problem
    count: int
    rows: tuple[int, ...]
    is_example: bool = False

    def cells(self, most: int) -> str:
        """Return the cells as people name them: `D5, D8, D9 …`; empty where it is about the file as a whole."""
        letter = self.problem.where.column or ""
        shown = ", ".join(f"{letter}{row}" for row in self.rows[:most])
        return f"{shown} {_BESIDE}" if self.count > min(most, len(self.rows)) and shown else shown

    def to_json(self) -> dict[str, Any]:
        """Return a shape for the ledger; `from_json` reads it back."""
        return {
            "kind": self.kind.value,
            "problem": self.problem.to_json(),
            "count": self.count,
            "rows": list(self.rows),
            "is_example": self.is_example,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(
            kind=DecisionKind(raw["kind"]),
            problem=Problem.from_json(raw["problem"]),
            count=raw["count"],
            rows=tuple(raw["rows"]),
            is_example=raw["is_example"],
        )


class Decisions:
    """Collect decisions cell by cell: those of one code and column are one."""

    def __init__(self) -> None:
        self._first: dict[_Key, Problem] = {}
        self._rows: dict[_Key, list[int]] = {}
        self._counts: Counter[_Key] = Counter()
        self._varied: set[_Key] = set()

    def clear(self) -> None:
        """Forget all: the rows are read again."""
        for each in (self._first, self._rows, self._counts, self._varied):
            each.clear()

    def take(self, problem: Problem) -> None:
        """Count one cell. Cells with the same word (`text`) in one column are told together."""
        word = str(problem.params.get("text", "")).casefold()
        key = (problem.code, problem.where.column or problem.field, word)
        if len(self._first) >= DECISIONS_AT_MOST and key not in self._first:
            key = (problem.code, problem.where.column or problem.field, _BESIDE)
        first = self._first.setdefault(key, problem)
        if first.params != problem.params:
            self._varied.add(key)
        count = problem.params.get("count")
        self._counts[key] += count if isinstance(count, int) else 1
        rows = self._rows.setdefault(key, [])
        if problem.where.row is not None and len(rows) < ROWS_KEPT:
            rows.append(problem.where.row)

    def all(self) -> tuple[Decision, ...]:
        """Return what was collected, the worst first."""
        return ordered(
            Decision(
                kind=kind_of(problem.code),
                problem=problem,
                count=self._counts[key],
                rows=tuple(self._rows[key]),
                is_example=key in self._varied,
            )
            for key, problem in self._first.items()
        )


def ordered(found: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return decisions the worst first; of one kind, the one about most cells."""
    return tuple(sorted(found, key=lambda each: (_ORDER[each.kind], -each.count)))


def decided(problems: Iterable[Problem]) -> tuple[Decision, ...]:
    """Return the decisions that problems tell, the worst first."""
    found = Decisions()
    for problem in problems:
        found.take(problem)
    return found.all()
