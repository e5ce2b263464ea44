"""Templates and emitters field by field: what a sheet says of one, and how that differs from what the provider shows.

An empty cell says nothing and changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from domain import money
from domain.problems import Problem
from domain.taker_changes import Change
from domain.texts import folded, text_problem

Value = int | bool | str | tuple[str, ...]
"""Rates in basis points, amounts in cents, yes or no, texts, and several names of a list."""

Kind = Literal["rate", "amount", "yes_no", "words", "digits", "number", "names"]
"""`digits` is text that is compared without its punctuation; `number` is text that travels as an integer."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a field holds, and how many characters of text it has room for."""

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
"""A template's fields beside its emitter and its name, which are what it is found by (document 000, Service value)."""

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
"""What of an emitter may be changed: never its CNPJ nor its latest RPS (document 000, Emitter).

Its certificate, that one's password and the environment are no matter for a sheet.
"""


def field_changes(
    fields: Mapping[str, Field], theirs: Mapping[str, Value], said: Mapping[str, Value]
) -> tuple[Change, ...]:
    """Compare field by field, in the order of `fields`; letter case and accents are no change, and no rate is zero."""
    return tuple(
        Change(name, _shown(field.kind, theirs.get(name)), _shown(field.kind, said[name]))
        for name, field in fields.items()
        if name in said and not _is_same(field.kind, theirs.get(name), said[name])
    )


def field_problems(fields: Mapping[str, Field], said: Mapping[str, Value]) -> list[Problem]:
    """`text.*` of what does not fit its field."""
    found = (
        text_problem(name, str(said[name]), field.limit)
        for name, field in fields.items()
        if field.limit is not None and name in said
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
        return _digits(str(theirs)) == _digits(str(ours))
    return folded(str(theirs)) == folded(str(ours)) if kind in ("words", "number") else theirs == ours


def _shown(kind: Kind, value: Value | None) -> str:
    """Return a value as a sheet writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, int):
        return money.format_brl(value) if kind == "amount" else f"{value // 100},{value % 100:02d}%"
    return value


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
