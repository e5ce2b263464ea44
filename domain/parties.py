"""Takers: the data of a row, the data that the provider requires, and contradictions between two rows."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, Self

from domain.cities import CityRules
from domain.documents import Document
from domain.names import are_alike
from domain.problems import Problem
from domain.texts import folded, text_problem

LIMITS: Final[Mapping[str, int]] = {
    "name": 120,
    "fancy_name": 100,
    "city_inscription": 25,
    "state_inscription": 20,
    "street": 200,
    "number": 10,
    "complement": 100,
    "neighborhood": 60,
    "city": 60,
    "phone": 15,
    "email": 100,
}
"""Field sizes in characters (document 000, Taker)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakerData:
    """A taker as a row describes it; None if the row has no value. Codes, numbers and phones are text."""

    document: Document | None = None
    name: str | None = None
    fancy_name: str | None = None
    city_inscription: str | None = None
    state_inscription: str | None = None
    emails: tuple[str, ...] = ()
    phone: str | None = None
    street: str | None = None
    number: str | None = None
    complement: str | None = None
    neighborhood: str | None = None
    city_code: str | None = None
    city: str | None = None
    state: str | None = None
    zip_code: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form for the ledger, without empty fields. `from_json` reads it."""
        values = {name: value for name in TAKER_FIELDS if (value := getattr(self, name)) not in (None, ())}
        if self.document is not None:
            values["document"] = [self.document.kind, self.document.number]
        if self.emails:
            values["emails"] = list(self.emails)
        return values

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Build the object from the JSON of `to_json`."""
        pair = raw.get("document")
        document = None if pair is None else Document(*pair)
        return cls(**{**raw, "document": document, "emails": tuple(raw.get("emails", ()))})


TAKER_FIELDS: Final = tuple(field.name for field in dataclasses.fields(TakerData))


ADDRESS_FIELDS: Final = frozenset(
    {"street", "number", "complement", "neighborhood", "city_code", "city", "state", "zip_code"}
)


def conflicts(one: TakerData, other: TakerData) -> list[str]:
    """Return the fields in which both have a value and the values differ.

    Letter case, accents and spacing do not matter.
    """
    return [
        name
        for name in TAKER_FIELDS
        if (mine := getattr(one, name)) and (theirs := getattr(other, name))
        if _comparable_value(mine) != _comparable_value(theirs)
    ]


def disputed_fields(statements: Iterable[TakerData]) -> frozenset[str]:
    """Return the fields in which any two of these contradict each other, as `conflicts` compares them."""
    first_values: dict[str, str | Document | tuple[str, ...]] = {}
    found: set[str] = set()
    for each in statements:
        for name in TAKER_FIELDS:
            if value := getattr(each, name):
                first = first_values.setdefault(name, value)
                # compare exactly first, which is fast: most rows repeat a customer's data unchanged
                if value != first and _comparable_value(value) != _comparable_value(first):
                    found.add(name)
    return frozenset(found)


def fill_missing(one: TakerData, other: TakerData) -> TakerData:
    """Return `one` with its missing fields filled from `other`."""
    return TakerData(**{name: getattr(one, name) or getattr(other, name) for name in TAKER_FIELDS})


def merge_rows(statements: Sequence[TakerData]) -> TakerData:
    """Merge all rows about a customer: each field from the first row that has it, every e-mail, and a whole address.

    Where rows contradict each other about the address, take the row with the most address fields: two halves of two
    addresses are no address.
    """
    data = reduce(fill_missing, statements)
    if len(statements) == 1 and len(set(data.emails)) == len(data.emails):
        return data
    emails = tuple(dict.fromkeys(address for each in statements for address in each.emails))
    if disputed_fields(statements) & ADDRESS_FIELDS:
        fullest = max(statements, key=lambda each: sum(bool(getattr(each, name)) for name in ADDRESS_FIELDS))
        return dataclasses.replace(data, emails=emails, **{name: getattr(fullest, name) for name in ADDRESS_FIELDS})
    return dataclasses.replace(data, emails=emails)


def have_similar_names(statements: Iterable[TakerData]) -> bool:
    """Return whether the names in these rows, which have one document, are alike enough for one customer."""
    names = list(dict.fromkeys(each.name for each in statements if each.name))
    return all(are_alike(names[0], name) for name in names[1:])


def is_named_alike(ours: TakerData, theirs: TakerData) -> bool:
    """Return whether a row's name or trade name is like that of the registered customer.

    Return True if one of them has no name at all.
    """
    names = [name for name in (ours.name, ours.fancy_name) if name]
    known = [name for name in (theirs.name, theirs.fancy_name) if name]
    return not names or not known or any(are_alike(one, other) for one in names for other in known)


def registered_document(
    ours: TakerData, possible: Iterable[Document], registered: Mapping[str, TakerData]
) -> Document | None:
    """Return the only one of these documents that is registered, if the row's name is like the registered name.

    Return None if no document or several are registered, or if either name is missing. `registered` are the register's
    customers by document.
    """
    known = [document for document in possible if document.number in registered]
    if len(known) != 1:
        return None
    theirs = registered[known[0].number]
    are_named = all(each.name or each.fancy_name for each in (ours, theirs))
    return known[0] if are_named and is_named_alike(ours, theirs) else None


def missing_for(taker: TakerData, city: CityRules) -> list[str]:
    """Return the fields that a taker lacks for an invoice by an emitter of this city."""
    always = ("document", "name")
    return [name for name in (*always, *city.required_taker_fields) if not getattr(taker, name)]


def taker_problems(taker: TakerData, city: CityRules) -> list[Problem]:
    """Return why the provider would refuse this customer: `taker.missing` and `text.*`, at most one for each field."""
    missing = [Problem("taker.missing", name, params={"city": city.name}) for name in missing_for(taker, city)]
    unfit = (text_problem(name, _first_text(taker, name), limit) for name, limit in LIMITS.items())
    return missing + [problem for problem in unfit if problem is not None]


def _first_text(taker: TakerData, name: str) -> str:
    if name == "email":
        return taker.emails[0] if taker.emails else ""
    return getattr(taker, name) or ""


def _comparable_value(value: str | tuple[str, ...] | Document) -> object:
    if isinstance(value, Document):
        return value
    if isinstance(value, tuple):
        return {_comparable_value(each) for each in value}
    return folded(value)
