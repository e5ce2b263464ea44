"""Templates and emitters field by field: what a sheet says of one, and how that differs from what the provider shows.

An empty cell says nothing and changes nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from domain import money
from domain.master.takers import Change
from domain.problems import Problem
from domain.texts import folded, text_problem

Value = int | bool | str | tuple[str, ...]
"""Rates in basis points, amounts in cents, yes or no, texts, and several names of a list."""

Kind = Literal["rate", "amount", "yes_no", "words", "digits", "number", "names"]
"""`digits` is text that is compared without its punctuation; `number` is text that travels as an integer."""


@dataclass(frozen=True, slots=True)
class Field:
    """The provider's name of a field, what it holds, and how many characters of text it has room for."""

    wire: str
    kind: Kind
    limit: int | None = None


TEMPLATE: Final[Mapping[str, Field]] = {
    "service_cents": Field("service_amount", "amount"),
    "iss_bp": Field("iss_percentage", "rate"),
    "retained_iss": Field("retained_iss", "yes_no"),
    "retained_iss_bp": Field("retained_iss_percentage", "rate"),
    "pis_bp": Field("pis_percentage", "rate"),
    "cofins_bp": Field("cofins_percentage", "rate"),
    "csll_bp": Field("csll_percentage", "rate"),
    "ir_bp": Field("ir_percentage", "rate"),
    "inss_bp": Field("inss_percentage", "rate"),
    "deduction_bp": Field("deduction_percentage", "rate"),
    "unconditioned_discount_bp": Field("unconditioned_discount_percentage", "rate"),
    "discount_conditioning_bp": Field("discount_conditioning_percentage", "rate"),
    "other_retentions_bp": Field("other_retentions_percentage", "rate"),
    "ir_limit_cents": Field("ir_limit", "amount"),
    "pcc_limit_cents": Field("pcc_limit", "amount"),
    "inss_limit_cents": Field("inss_limit", "amount"),
    "retained_iss_limit_cents": Field("retained_iss_limit", "amount"),
    "service_item_code": Field("service_item_code", "words", 5),
    "city_tax_code": Field("city_tax_code", "words", 20),
    "cnae_code": Field("cnae_code", "digits", 40),
    "description": Field("description", "words"),
    "city_code": Field("city_code", "number"),
    "tax_burden_cents": Field("tax_burden_amount", "amount"),
    "tax_burden_bp": Field("tax_burden_percentage", "rate"),
    "tax_burden_source": Field("tax_burden_source", "words", 10),
    "highlight_retentions": Field("highlight_retentions", "names"),
}
"""A template's fields beside its emitter and its name, which are what it is found by (document 000, Service value)."""

EMITTER: Final[Mapping[str, Field]] = {
    "name": Field("social_reason", "words", 255),
    "fancy_name": Field("fancy_name", "words", 60),
    "email": Field("email", "words", 255),
    "phone": Field("phone", "digits", 11),
    "city_inscription": Field("city_inscription", "words", 255),
    "state_inscription": Field("state_inscription", "words", 255),
    "street_type": Field("street_type", "words", 125),
    "street": Field("street", "words", 125),
    "number": Field("number", "words", 10),
    "complement": Field("complement", "words", 60),
    "neighborhood": Field("neighborhood", "words", 60),
    "zip_code": Field("zip_code", "digits", 9),
    "city": Field("city", "words", 255),
    "state": Field("state", "words", 2),
    "code_tax_regime": Field("code_tax_regime", "number"),
    "national_simple_optant": Field("national_simple_optant", "yes_no"),
    "cultural_promoter": Field("cultural_promoter", "yes_no"),
}
"""What of an emitter may be changed: never its CNPJ nor its latest RPS (document 000, Emitter).

Its certificate, that one's password and the environment are no matter for a sheet.
"""


def field_changes(
    fields: Mapping[str, Field], body: Mapping[str, Any], said: Mapping[str, Value]
) -> tuple[Change, ...]:
    """Field by field, in the order of `fields`; letter case and accents are no change, and no rate is one of zero."""
    found = []
    for name, field in fields.items():
        if name in said:
            theirs = _theirs(field, body.get(field.wire))
            if not _is_same(field.kind, theirs, said[name]):
                found.append(Change(name, _shown(field.kind, theirs), _shown(field.kind, said[name])))
    return tuple(found)


def fields_wire(
    fields: Mapping[str, Field], said: Mapping[str, Value], only: Collection[str] | None = None
) -> dict[str, Any]:
    """The body with what the sheet says, or with `only` these of its fields."""
    names = said if only is None else only
    return {field.wire: _wire(field.kind, said[name]) for name, field in fields.items() if name in names}


def field_problems(fields: Mapping[str, Field], said: Mapping[str, Value]) -> list[Problem]:
    """`text.*` of what does not fit its field."""
    found = (
        text_problem(name, str(said[name]), field.limit)
        for name, field in fields.items()
        if field.limit is not None and name in said
    )
    return [problem for problem in found if problem is not None]


def differing_fields(one: Mapping[str, Value], other: Mapping[str, Value]) -> set[str]:
    """The fields of which two rows say something else."""
    return {name for name in one.keys() & other.keys() if one[name] != other[name]}


def _theirs(field: Field, value: Any) -> Value | None:
    """What the provider shows; a figure that is none is kept as the text it is."""
    if value is None or value == "":
        return None
    if field.kind in ("rate", "amount"):
        try:
            return money.from_wire(value)
        except ValueError:
            return str(value)
    if field.kind == "yes_no":
        return bool(value)
    return tuple(map(str, value)) if field.kind == "names" else str(value).strip()


def _is_same(kind: Kind, theirs: Value | None, ours: Value) -> bool:
    if theirs is None:
        return kind == "rate" and ours == 0
    if isinstance(theirs, tuple) and isinstance(ours, tuple):
        return set(theirs) == set(ours)
    if kind == "digits":
        return _digits(str(theirs)) == _digits(str(ours))
    return folded(str(theirs)) == folded(str(ours)) if kind in ("words", "number") else theirs == ours


def _shown(kind: Kind, value: Value | None) -> str:
    """As sheets write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    if isinstance(value, tuple):
        return ", ".join(name.removesuffix("_amount") for name in value)
    if isinstance(value, int):
        return money.format_brl(value) if kind == "amount" else f"{value // 100},{value % 100:02d}%"
    return value


def _wire(kind: Kind, value: Value) -> Any:
    if kind in ("rate", "amount") and isinstance(value, int):
        return money.to_wire(value)
    if kind == "number":
        return int(str(value))
    return list(value) if isinstance(value, tuple) else value


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
