"""Problems as values, and the root of every error this project raises on purpose.

A row's trouble is a `Problem` that travels with the row; an exception is for what stops a chunk, a file or a run.
Neither holds a sentence: the words are in the message catalogue, by code and language.
"""

import copyreg
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in a workbook as the person sees it: sheet name, row number from 1, column letter."""

    sheet: str | None = None
    row: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong and that a person can mend.

    `code` is stable and names the sentence in the catalogue (`amount.ambiguous`); `field` is our name of the field;
    `params` fill the sentence. Personal data in `params` is masked before it comes here.
    """

    code: str
    field: str | None = None
    where: Where = Where()
    params: Mapping[str, str | int] = dataclasses.field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON form for the ledger; `from_json` reads it back."""
        return {
            "code": self.code,
            "field": self.field,
            "where": [self.where.sheet, self.where.row, self.where.column],
            "params": dict(self.params),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        sheet, row, column = raw["where"]
        return cls(raw["code"], raw["field"], Where(sheet=sheet, row=row, column=column), raw["params"])


class FaturistaError(Exception):
    """The root. `problem` says what, where and how to mend it; its code is found in the message catalogue."""

    def __init__(self, problem: Problem, *details: Problem) -> None:
        super().__init__(problem.code, *(f"{name}={value}" for name, value in problem.params.items()))
        self.problem = problem
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would call `cls(*args)`; our constructors take other arguments.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class IllegalMove(FaturistaError):
    """A state change outside the table of `domain.states`: our own bug. Stops that batch, not the flow."""


class LayoutError(FaturistaError):
    """The file cannot be understood as a whole: stops before any row is taken. `details` list what was found."""


class SettingsError(FaturistaError):
    """The profile, the environment or a secret reference is wrong: stops before anything is done."""
