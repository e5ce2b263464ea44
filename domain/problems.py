"""Problems as values, and the base class of the errors that a `Problem` explains to a person.

A row's fault is a `Problem` that travels with the row; an exception stops a chunk, a file or a run. Neither holds a
sentence: the message catalogue has the sentences by code and language.
"""

import copyreg
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in a workbook as its reader sees it: sheet name, row number from 1, column letter."""

    sheet: str | None = None
    row: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault that a person can correct, or a remark for a person.

    `code` is stable and names the sentence in the catalogue (`amount.ambiguous`). `field` is our name of the field.
    `params` fill the sentence; the caller masks personal data in them.
    """

    code: str
    field: str | None = None
    where: Where = Where()
    params: Mapping[str, str | int] = dataclasses.field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form for the ledger. `from_json` reads it."""
        return {
            "code": self.code,
            "field": self.field,
            "where": [self.where.sheet, self.where.row, self.where.column],
            "params": dict(self.params),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the problem from the JSON of `to_json`."""
        sheet, row, column = raw["where"]
        return cls(raw["code"], raw["field"], Where(sheet=sheet, row=row, column=column), raw["params"])


class FaturistaError(Exception):
    """The base class of our errors. The message catalogue has the words of `problem`, by its code."""

    def __init__(self, problem: Problem, *details: Problem) -> None:
        super().__init__(problem.code, *(f"{name}={value}" for name, value in problem.params.items()))
        self.problem = problem
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would call `cls(*args)`; our constructors take other arguments.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class FieldFault(ValueError):
    """A request model refuses a value. `code` and `params` are those of the `Problem`, except the parameter `name`.

    A `ValueError`, because pydantic collects only those. A rule about several fields names one of them as `field`.
    """

    def __init__(self, code: str, *, field: str | None = None, **params: str | int) -> None:
        super().__init__(" ".join([code, *(f"{name}={value}" for name, value in params.items())]))
        self.code = code
        self.field = field
        self.params = params


class IllegalTransition(FaturistaError):
    """A state change outside the table of `domain.states`: a bug of ours. It stops that batch, not the flow."""


class InputError(FaturistaError):
    """A person's input cannot be understood: a whole file, before any row is read, or an argument of a command.

    `details` are all problems found.
    """


class SettingsError(FaturistaError):
    """The profile, the environment or a secret reference is wrong: raised before any work."""
