"""Convert pydantic's errors about a request model into problems, which the message catalogue translates."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from domain.problems import FieldFault, Problem

_TYPE_LABELS: Final = frozenset({"bool", "date", "datetime", "decimal", "float", "int", "none", "str"})
"""Labels that pydantic adds to an error's location if the field allows several types."""
_CODES: Final[Mapping[str, str]] = {
    "bool_parsing": "record_field.yes_or_no",
    "bool_type": "record_field.yes_or_no",
    "dict_type": "record_field.group",
    "extra_forbidden": "record_field.strange",
    "int_parsing": "record_field.whole",
    "int_parsing_size": "record_field.whole",
    "int_type": "record_field.whole",
    "list_type": "record_field.list",
    "missing": "record_field.missing",
    "model_attributes_type": "record_field.group",
    "model_type": "record_field.group",
    "none_required": "record_field.not_here",
    "string_type": "record_field.text",
    "timezone_aware": "record_field.instant",
    "tuple_type": "record_field.list",
}
_OTHER_TYPE: Final = frozenset({"record_field.text", "record_field.whole"})
_LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("record_field.least", "ge"),
    "less_than": ("record_field.below", "lt"),
    "less_than_equal": ("record_field.most", "le"),
    "string_too_long": ("record_field.too_long", "max_length"),
    "string_too_short": ("record_field.too_short", "min_length"),
    "too_long": ("record_field.many", "max_length"),
    "too_short": ("record_field.few", "min_length"),
}


def field_problems(error: ValidationError) -> list[Problem]:
    """Return one problem for each refused field, without its value."""
    found: dict[str, Problem] = {}
    for fault in error.errors(include_url=False, include_input=False):
        cause = fault.get("ctx", {}).get("error")
        inner = cause.field.split(".") if isinstance(cause, FieldFault) and cause.field else []
        name = _name([*fault["loc"], *inner])
        # A value with several allowed types has one fault for each type: report the fault of its own type.
        if name not in found or found[name].code in _OTHER_TYPE:
            found[name] = _problem(name, fault["type"], fault.get("ctx", {}))
    return list(found.values())


def _problem(name: str, kind: str, context: Mapping[str, Any]) -> Problem:
    fault = context.get("error")
    if isinstance(fault, FieldFault):
        return Problem(fault.code, params={"name": name, **fault.params})
    if context.get("field_type") == "Value":
        # Such a field is a text, and has the limits of one.
        kind = f"string_{kind}"
    if kind in _LIMITS:
        code, limit = _LIMITS[kind]
        return Problem(code, params={"name": name, "limit": str(context[limit])})
    if kind == "literal_error":
        allowed = str(context["expected"]).replace(" or ", ", ").replace("'", "")
        return Problem("record_field.one_of", params={"name": name, "allowed": allowed})
    return Problem(_code(kind), params={"name": name})


def _code(kind: str) -> str:
    if kind.startswith("datetime_"):
        return "record_field.instant"
    return "record_field.date" if kind.startswith("date_") else _CODES.get(kind, "record_field.wrong")


def _name(place: Sequence[int | str]) -> str:
    """Return the dotted name of a field, or a dash if the error names none. Items of a list count from 1."""
    parts = [
        str(part + 1) if isinstance(part, int) else part
        for depth, part in enumerate(place)
        if isinstance(part, int) or (part.isidentifier() and not (depth and part in _TYPE_LABELS))
    ]
    return ".".join(parts) or "–"
