"""Decide which questions a released row of a correction workbook answers: those that the workbook showed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from domain.problems import Problem

NAME_DIFFERS: Final = "taker.name_differs"
OF_EMITTER: Final = "document.of_emitter"
ISS_UNUSUAL: Final = "amount.iss_unusual"
CODE_DIFFERS: Final = "template.code_differs"
EMITTER_DIFFERS: Final = "emitter.name_differs"
_ABOUT: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    NAME_DIFFERS: (("taker", "document"), ("taker", "name")),
    OF_EMITTER: (("taker", "document"), ("emitter_cnpj",)),
    ISS_UNUSUAL: (("iss_bp",),),
    CODE_DIFFERS: (("template_name",), ("service_item_code",), ("city_tax_code",), ("iss_bp",)),
    EMITTER_DIFFERS: (("emitter_cnpj",), ("emitter_name",), ("company_name",)),
}
"""Fields of a line that each question about a readable row concerns, by problem code."""


BESIDE_THE_ROW: Final = frozenset({
    "held.section", "held.month", "held.unit", "held.colour", "held.comment", "held.struck",
})  # fmt: skip
"""Problems that come from titles, legends and marks between the rows; a corrections workbook may lack those."""


def unanswered_problems(
    asked: Iterable[Problem], now: Mapping[str, Any] | None, *, is_released: bool, has_month: bool
) -> list[Problem]:
    """Return the problems of a row's first sheet that still hold the row, because it came back without an answer.

    `now` is the row's line, None for a refused one. `has_month`: the row has its own month, so no title decides it.
    """
    if now is None or is_released or now.get("is_released"):
        return []
    held = [problem for problem in asked if problem.code in BESIDE_THE_ROW]
    return [problem for problem in held if not (has_month and problem.code == "held.month")]


def can_release(codes: Collection[str]) -> bool:
    """Return whether a person may release a row with these problems."""
    return any(code in _ABOUT or (code.startswith("held.") and code != "held.merged_amount") for code in codes)


def answered_questions(
    shown: Collection[str], before: Mapping[str, Any] | None, now: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """Return the answered questions of a row.

    These are the questions that its workbook showed, if the row is released there, and those answered before. A
    question about changed fields is a new one. `before` and `now` have the shape of `ServiceLine.to_json`.
    """
    if before is None or now is None:
        return ()
    asked = {*(before.get("answered") or ()), *(shown if now.get("is_released") else ())}
    return tuple(
        code
        for code, fields in _ABOUT.items()
        if code in asked and all(_value_at_path(before, path) == _value_at_path(now, path) for path in fields)
    )


def _value_at_path(line: Mapping[str, Any], path: Sequence[str]) -> Any:
    found: Any = line
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
