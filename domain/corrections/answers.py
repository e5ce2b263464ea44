"""Decide which questions a released row of a correction workbook answers: those that the workbook showed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from domain.problems import Problem

NAME_DIFFERS: Final = "taker.name_differs"
OF_EMITTER: Final = "document.of_emitter"
OF_BRANCH: Final = "document.of_branch"
ISS_UNUSUAL: Final = "amount.iss_unusual"
CODE_DIFFERS: Final = "template.code_differs"
EMITTER_DIFFERS: Final = "emitter.name_differs"
TEMPLATE_SWAPPED: Final = "template.swapped"
_ABOUT: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    NAME_DIFFERS: (("taker", "document"), ("taker", "name")),
    OF_EMITTER: (("taker", "document"), ("emitter_cnpj",)),
    OF_BRANCH: (("taker", "document"), ("emitter_cnpj",)),
    ISS_UNUSUAL: (("iss_bp",),),
    CODE_DIFFERS: (("template_name",), ("service_item_code",), ("city_tax_code",), ("iss_bp",)),
    EMITTER_DIFFERS: (("emitter_cnpj",), ("emitter_name",), ("company_name",)),
    TEMPLATE_SWAPPED: (("emitter_cnpj",), ("template_name",)),
}
"""Fields of a line that each question about a readable row concerns, by problem code."""


BESIDE_THE_ROW: Final = frozenset({
    "held.section", "held.month", "held.unit", "held.colour", "held.comment", "held.struck",
})  # fmt: skip
"""Codes of questions that arise from titles, legends and marks outside a row. A corrections workbook may lack those."""


def unanswered_problems(
    asked: Iterable[Problem], now: Mapping[str, Any] | None, *, is_released: bool, has_month: bool
) -> list[Problem]:
    """Return the questions of the original row that still hold its corrected row.

    Only `BESIDE_THE_ROW` is checked: the corrections workbook may lack what raised these questions, so reading it does
    not raise them again. `asked` are the original row's problems. `now` is the corrected row's `ServiceLine.to_json`,
    None if that row is refused. `has_month`: the row has its own month, so no title decides it.
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
    """Return the codes of a row's questions that a person has answered.

    A question counts as answered if it was answered before, or if the workbook showed it (`shown`) and the row is
    released there. It is open again if one of its fields changed. `before` and `now` are `ServiceLine.to_json` or None.
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
