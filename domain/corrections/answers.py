"""Decide which questions a released row of a correction workbook answers: those that the workbook showed."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

NAME_DIFFERS: Final = "taker.name_differs"
ISS_UNUSUAL: Final = "amount.iss_unusual"
CODE_DIFFERS: Final = "template.code_differs"
EMITTER_DIFFERS: Final = "emitter.name_differs"
_ABOUT: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    NAME_DIFFERS: (("taker", "document"), ("taker", "name")),
    ISS_UNUSUAL: (("iss_bp",),),
    CODE_DIFFERS: (("template_name",), ("service_item_code",), ("city_tax_code",), ("iss_bp",)),
    EMITTER_DIFFERS: (("emitter_cnpj",), ("emitter_name",), ("company_name",)),
}
"""Fields of a line that each question about a readable row concerns, by problem code."""


def can_release(codes: Collection[str]) -> bool:
    """Return whether a person may release a row with these problems."""
    return any(code in _ABOUT or (code.startswith("held.") and code != "held.merged_amount") for code in codes)


def answered(
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
        if code in asked and all(_at(before, path) == _at(now, path) for path in fields)
    )


def _at(line: Mapping[str, Any], path: Sequence[str]) -> Any:
    found: Any = line
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
