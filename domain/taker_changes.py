"""What a row about a customer would change at the provider. An empty cell changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.parties import TakerData
from domain.texts import folded

_DIGITS: Final = frozenset({"phone", "zip_code"})
_PLACE: Final = ("city_code", "city", "state")
_WORDS: Final = ("name", "fancy_name", "city_inscription", "state_inscription", "street", "number", "complement",
                 "neighborhood", "phone", "zip_code")  # fmt: skip
_ADDRESS: Final = frozenset({"street", "number", "complement", "neighborhood", "zip_code", "city"})


@dataclass(frozen=True, slots=True)
class Change:
    """One field that would change: what the provider says (empty where it says nothing) and what the sheet says."""

    field: str
    was: str
    becomes: str

    @property
    def group(self) -> str:
        """What it is counted as: an address is one thing, however many of its parts change."""
        return "address" if self.field in _ADDRESS else self.field


def changes(theirs: TakerData, said: TakerData) -> tuple[Change, ...]:
    """Field by field; letter case, accents and punctuation of numbers are no change.

    The provider keeps one e-mail: where it is any of the sheet's, nothing changes.
    """
    found = [
        Change(name, getattr(theirs, name) or "", value)
        for name in _WORDS
        if (value := getattr(said, name)) and not _is_same(name, getattr(theirs, name), value)
    ]
    if said.emails and not {folded(each) for each in theirs.emails} & {folded(each) for each in said.emails}:
        found.append(Change("email", "; ".join(theirs.emails), said.emails[0]))
    if said.city_code and said.city_code != theirs.city_code:
        was = "/".join(filter(None, (theirs.city, theirs.state)))
        found.append(Change("city", was, "/".join(filter(None, (said.city, said.state)))))
    return tuple(found)


def changed_data(said: TakerData, found: Sequence[Change]) -> TakerData:
    """Return the customer with only the fields that change filled."""
    names = {change.field for change in found}
    if "city" in names:
        names.update(_PLACE)
    only = TakerData(**{name: getattr(said, name) for name in (*_WORDS, *_PLACE) if name in names})
    return replace(only, emails=said.emails) if "email" in names else only


def _is_same(name: str, theirs: str | None, ours: str) -> bool:
    if theirs is None:
        return False
    if name in _DIGITS:
        return "".join(filter(str.isdigit, theirs)) == "".join(filter(str.isdigit, ours))
    return folded(theirs) == folded(ours)
