"""Decisions about a sheet made without asking a person: rows held, cells filled in, columns ignored, and where."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Self, TypeAlias

from domain.problems import Problem, Where

ROWS_KEPT: Final = 50_000
"""The most row numbers that a decision stores; its `count` also covers the rows beyond."""
DECISIONS_AT_MOST: Final = 400
_BESIDE: Final = "…"

_Key: TypeAlias = tuple[str, str | None, str]
"""Code, column or field, and the values that the cells share."""

_APART: Final = ("held", "text", "template", "rate", "usual", "kind")
"""Parameters of a problem that must be equal for cells to share a decision.

They are what held a released row, the text of the cell, and the value that was chosen.
"""
_ARE_APART: Final = frozenset(_APART)
_ALIKE: Final = _BESIDE * (len(_APART) - 1)
"""The key of cells without any of these parameters."""

_LISTED: Final = "listed"
"""The parameter whose values from all cells the sentence lists, so that a person can check each."""
_LISTED_AT_MOST: Final = 5


class DecisionKind(StrEnum):
    """The kinds of decisions, the most important first."""

    CONTRADICTED = "contradicted"
    HELD = "held"
    RELEASED = "released"
    CHOSEN = "chosen"
    FILLED = "filled"
    UNUSED = "unused"


_FIRST: Final = "competence.of_title"
"""The decision that comes first among those of its kind: it gives a month to all rows."""
_ORDER: Final = {kind: place for place, kind in enumerate(DecisionKind)}
_KINDS: Final[Mapping[str, DecisionKind]] = {
    "sheet.total_differs": DecisionKind.CONTRADICTED,
    "sheet.total_fits_neither": DecisionKind.CONTRADICTED,
    "sheet.total_of_customer_differs": DecisionKind.CONTRADICTED,
    "sheet.total_unreadable": DecisionKind.CONTRADICTED,
    "sheet.titles_say_no": DecisionKind.CONTRADICTED,
    "sheet.notes_below_say_no": DecisionKind.CONTRADICTED,
    "row.released": DecisionKind.RELEASED,
    "taker.name_released": DecisionKind.RELEASED,
    "document.of_emitter_released": DecisionKind.RELEASED,
    "emitter.name_released": DecisionKind.RELEASED,
    "amount.iss_released": DecisionKind.RELEASED,
    "template.code_released": DecisionKind.RELEASED,
    "template.swapped_released": DecisionKind.RELEASED,
    "row.hidden": DecisionKind.HELD,
    "row.not_wanted": DecisionKind.HELD,
    "row.wish_blank": DecisionKind.HELD,
    "sheet.hidden_rows": DecisionKind.HELD,
    "taker.email_lacking": DecisionKind.UNUSED,
    "taker.email_unused": DecisionKind.UNUSED,
    "taker.name_differs": DecisionKind.HELD,
    "document.of_emitter": DecisionKind.HELD,
    "document.of_branch": DecisionKind.HELD,
    "emitter.name_differs": DecisionKind.HELD,
    "template.code_differs": DecisionKind.HELD,
    "template.swapped": DecisionKind.HELD,
    "amount.iss_unusual": DecisionKind.HELD,
    "row.similar_corrected": DecisionKind.HELD,
    "row.similar_living": DecisionKind.HELD,
    "row.equal_under_other_template": DecisionKind.HELD,
    "row.similar_in_former_month": DecisionKind.HELD,
    "row.file_question": DecisionKind.HELD,
    "row.file_emitter_question": DecisionKind.HELD,
    "row.file_moved_question": DecisionKind.HELD,
    "product.similar_living": DecisionKind.HELD,
    "product.similar_corrected": DecisionKind.HELD,
    "product.file_question": DecisionKind.HELD,
    "column.unused": DecisionKind.UNUSED,
    "column.similar": DecisionKind.UNUSED,
    "column.ignored": DecisionKind.UNUSED,
    "column.passed_over": DecisionKind.UNUSED,
    "row.notes_unprinted": DecisionKind.UNUSED,
    "row.says_nothing": DecisionKind.UNUSED,
    "sheet.notes_below": DecisionKind.UNUSED,
    "sheet.titles": DecisionKind.UNUSED,
    "sheet.hidden_sheets": DecisionKind.UNUSED,
    "file.macros_ignored": DecisionKind.UNUSED,
    "file.colours_unseen": DecisionKind.UNUSED,
    "document.repaired": DecisionKind.FILLED,
    "taker.completed": DecisionKind.FILLED,
    "document.kind_chosen": DecisionKind.FILLED,
    "document.of_register": DecisionKind.FILLED,
    "row.filled_down": DecisionKind.FILLED,
    "row.inherited": DecisionKind.FILLED,
    "template.by_option": DecisionKind.FILLED,
    "template.of_sender": DecisionKind.FILLED,
    "template.of_profile": DecisionKind.FILLED,
    "template.of_last_month": DecisionKind.FILLED,
    "description.of_template": DecisionKind.FILLED,
}


def kind_of(code: str) -> DecisionKind:
    """Return the decision kind of a problem's code."""
    return DecisionKind.HELD if code.startswith("held.") else _KINDS.get(code, DecisionKind.CHOSEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision and the cells that it concerns.

    `problem` is the problem of the first cell; the catalogue has its sentence. `count` is the number of cells; `rows`
    are the first row numbers. `is_example`: other cells have other values than the first.
    """

    kind: DecisionKind
    problem: Problem
    count: int
    rows: tuple[int, ...]
    is_example: bool = False

    def cells(self, most: int) -> str:
        """Return at most `most` cells as people name them: `D5, D8, D9 …`.

        Without a column they are the numbers of rows; empty for the whole file.
        """
        letter = self.problem.where.column or ""
        shown = ", ".join(f"{letter}{row}" for row in self.rows[:most])
        return f"{shown} {_BESIDE}" if self.count > min(most, len(self.rows)) and shown else shown

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form for the ledger. `from_json` reads it."""
        return {
            "kind": self.kind.value,
            "problem": self.problem.to_json(),
            "count": self.count,
            "rows": [list(run) for run in runs(self.rows)],
            "is_example": self.is_example,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the object from the JSON of `to_json`."""
        return cls(
            kind=DecisionKind(raw["kind"]),
            problem=Problem.from_json(raw["problem"]),
            count=raw["count"],
            rows=tuple(row for first, last in raw["rows"] for row in range(first, last + 1)),
            is_example=raw["is_example"],
        )


def runs(rows: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last number of each run of consecutive rows."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and found[-1][1] + 1 == row:
            found[-1] = found[-1][0], row
        else:
            found.append((row, row))
    return found


@dataclass(slots=True)
class _Collected:
    """One decision while it is collected: the first cell's problem, the number of cells, and the first rows."""

    problem: Problem
    count: int = 0
    rows: list[int] = field(default_factory=list)
    is_varied: bool = False
    listed: dict[str, None] = field(default_factory=dict)

    def whole(self) -> Problem:
        """Return the problem with the list of its cells' values, if it has one."""
        if not self.listed:
            return self.problem
        shown = [*list(self.listed)[:_LISTED_AT_MOST], *([_BESIDE] if len(self.listed) > _LISTED_AT_MOST else [])]
        return replace(self.problem, params={**self.problem.params, _LISTED: ", ".join(shown)})


class Decisions:
    """Collects decisions cell by cell. Cells with the same code, column and values of `_APART` are one decision."""

    def __init__(self) -> None:
        self._by_key: dict[_Key, _Collected] = {}

    def clear(self) -> None:
        """Remove all decisions before the rows are read again."""
        self._by_key.clear()

    def take(self, problem: Problem) -> None:
        """Count one cell. Cells of one column with the same text and the same chosen value are one decision."""
        where = problem.where
        self.count_cell(
            problem.code, problem.field, problem.params, sheet=where.sheet, row=where.row, column=where.column
        )

    def take_all(self, problems: Iterable[Problem]) -> None:
        """Count the cell of each problem."""
        for problem in problems:
            self.take(problem)

    def count_cell(
        self,
        code: str,
        field: str | None,
        params: Mapping[str, str | int],
        *,
        sheet: str | None,
        row: int | None,
        column: str | None,
    ) -> None:
        """Count one cell as `take` does, without a `Problem` for each cell: there may be a million."""
        key = (code, column or field, _ALIKE if _ARE_APART.isdisjoint(params) else _distinguishing_text(params))
        collected = self._by_key.get(key)
        if collected is None and len(self._by_key) >= DECISIONS_AT_MOST:
            key = (code, column or field, _BESIDE)
            collected = self._by_key.get(key)
        if collected is None:
            first = Problem(code, field, Where(sheet=sheet, row=row, column=column), params)
            collected = self._by_key[key] = _Collected(first)
        # Most cells of a column share one `params` object: skip the comparison of their contents.
        if (listed := params.get(_LISTED)) is not None:
            if len(collected.listed) <= _LISTED_AT_MOST:
                collected.listed[str(listed)] = None
        elif collected.problem.params is not params and collected.problem.params != params:
            collected.is_varied = True
        count = params.get("count")
        collected.count += count if isinstance(count, int) else 1
        if row is not None and len(collected.rows) < ROWS_KEPT:
            collected.rows.append(row)

    def all(self) -> tuple[Decision, ...]:
        """Return all decisions, the most important first."""
        return sort_decisions(
            Decision(
                kind=kind_of(collected.problem.code),
                problem=collected.whole(),
                count=collected.count,
                rows=tuple(collected.rows),
                is_example=collected.is_varied,
            )
            for collected in self._by_key.values()
        )


def sort_decisions(found: Iterable[Decision]) -> tuple[Decision, ...]:
    """Sort decisions, the most important kind first; within a kind, `_FIRST`, then the one with most cells."""
    return tuple(sorted(found, key=lambda each: (_ORDER[each.kind], each.problem.code != _FIRST, -each.count)))


def _distinguishing_text(params: Mapping[str, str | int]) -> str:
    return _BESIDE.join([str(params[name]).casefold() if name in params else "" for name in _APART])


def decisions_of(problems: Iterable[Problem]) -> tuple[Decision, ...]:
    """Return the decisions that these problems describe, the most important first."""
    found = Decisions()
    found.take_all(problems)
    return found.all()
