"""The fields of templates and emitters: the values in a sheet's row, and how they differ from the provider's record.

An empty cell changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from domain import money
from domain.problems import Problem
from domain.taker_changes import Change
from domain.texts import folded, text_problem

Value = int | bool | str | tuple[str, ...]
"""A field's value: basis points, cents, yes or no, text, or several names."""

Kind = Literal["rate", "amount", "yes_no", "words", "digits", "number", "names"]
"""`digits` is text that is compared without punctuation; `number` is text that is sent as an integer."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field: the kind of its value and the most characters of its text."""

    kind: Kind
    limit: int | None = None


TEMPLATE: Final[Mapping[str, Field]] = {
    "service_cents": Field("amount"),
    "iss_bp": Field("rate"),
    "retained_iss": Field("yes_no"),
    "retained_iss_bp": Field("rate"),
    "pis_bp": Field("rate"),
    "cofins_bp": Field("rate"),
    "csll_bp": Field("rate"),
    "ir_bp": Field("rate"),
    "inss_bp": Field("rate"),
    "deduction_bp": Field("rate"),
    "unconditioned_discount_bp": Field("rate"),
    "discount_conditioning_bp": Field("rate"),
    "other_retentions_bp": Field("rate"),
    "ir_limit_cents": Field("amount"),
    "pcc_limit_cents": Field("amount"),
    "inss_limit_cents": Field("amount"),
    "retained_iss_limit_cents": Field("amount"),
    "service_item_code": Field("words", 5),
    "city_tax_code": Field("words", 20),
    "cnae_code": Field("digits", 40),
    "description": Field("words"),
    "city_code": Field("number"),
    "tax_burden_cents": Field("amount"),
    "tax_burden_bp": Field("rate"),
    "tax_burden_source": Field("words", 10),
    "highlight_retentions": Field("names"),
}
"""A template's fields, without emitter and name, which identify it (document 000, Service value)."""

EMITTER: Final[Mapping[str, Field]] = {
    "name": Field("words", 255),
    "fancy_name": Field("words", 60),
    "email": Field("words", 255),
    "phone": Field("digits", 11),
    "city_inscription": Field("words", 255),
    "state_inscription": Field("words", 255),
    "street_type": Field("words", 125),
    "street": Field("words", 125),
    "number": Field("words", 10),
    "complement": Field("words", 60),
    "neighborhood": Field("words", 60),
    "zip_code": Field("digits", 9),
    "city": Field("words", 255),
    "state": Field("words", 2),
    "code_tax_regime": Field("number"),
    "national_simple_optant": Field("yes_no"),
    "cultural_promoter": Field("yes_no"),
}
"""The fields of an emitter that a sheet may change: never its CNPJ or its latest RPS (document 000, Emitter).

Sheets do not change its certificate, the certificate's password or the environment.
"""


def field_changes(
    fields: Mapping[str, Field], theirs: Mapping[str, Value], given: Mapping[str, Value]
) -> tuple[Change, ...]:
    """Return the changes from the provider's values to the given ones, in the order of `fields`.

    Letter case and accents do not matter. A missing rate equals a rate of zero.
    """
    return tuple(
        Change(name, _format_value(field.kind, theirs.get(name)), _format_value(field.kind, given[name]))
        for name, field in fields.items()
        if name in given and not _is_same(field.kind, theirs.get(name), given[name])
    )


def field_problems(fields: Mapping[str, Field], values: Mapping[str, Value]) -> list[Problem]:
    """Return a `text.*` problem for each text that does not fit its field."""
    found = (
        text_problem(name, str(values[name]), field.limit)
        for name, field in fields.items()
        if field.limit is not None and name in values
    )
    return [problem for problem in found if problem is not None]


def differing_fields(one: Mapping[str, Value], other: Mapping[str, Value]) -> set[str]:
    """Return the fields in which two rows have different values."""
    return {name for name in one.keys() & other.keys() if one[name] != other[name]}


def _is_same(kind: Kind, theirs: Value | None, ours: Value) -> bool:
    if theirs is None:
        return kind == "rate" and ours == 0
    if isinstance(theirs, tuple) and isinstance(ours, tuple):
        return set(theirs) == set(ours)
    if kind == "digits":
        return _digits_only(str(theirs)) == _digits_only(str(ours))
    return folded(str(theirs)) == folded(str(ours)) if kind in ("words", "number") else theirs == ours


def _format_value(kind: Kind, value: Value | None) -> str:
    """Return a value in the form that sheets use."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, int):
        return money.format_brl(value) if kind == "amount" else f"{value // 100},{value % 100:02d}%"
    return value


def _digits_only(text: str) -> str:
    return "".join(filter(str.isdigit, text))
