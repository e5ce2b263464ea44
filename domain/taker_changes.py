"""Compare a row about a customer with the provider's record. An empty cell changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.parties import TakerData
from domain.texts import folded

_DIGITS: Final = frozenset({"phone", "zip_code"})
_PLACE: Final = ("city_code", "city", "state")
_WORDS: Final = ("name", "fancy_name", "city_inscription", "state_inscription", "street", "number", "complement",
                 "neighborhood", "phone", "zip_code")  # fmt: skip
ADDRESS: Final = frozenset({"street", "number", "complement", "neighborhood", "zip_code", "city"})


@dataclass(frozen=True, slots=True)
class Change:
    """One field that would change: the provider's value (empty if it has none) and the sheet's."""

    field: str
    was: str
    becomes: str

    @property
    def group(self) -> str:
        """The name under which the change is counted: all parts of an address are one change."""
        return "address" if self.field in ADDRESS else self.field


def changes(theirs: TakerData, wanted: TakerData) -> tuple[Change, ...]:
    """Return the changes from the provider's data to the sheet's, field by field.

    Letter case, accents and punctuation of numbers do not matter. The provider keeps one e-mail: it does not change if
    it is any of the sheet's.
    """
    found = [
        Change(name, getattr(theirs, name) or "", value)
        for name in _WORDS
        if (value := getattr(wanted, name)) and not _is_same(name, getattr(theirs, name), value)
    ]
    if wanted.emails and not {folded(each) for each in theirs.emails} & {folded(each) for each in wanted.emails}:
        found.append(Change("email", "; ".join(theirs.emails), wanted.emails[0]))
    if wanted.city_code and wanted.city_code != theirs.city_code:
        was = "/".join(filter(None, (theirs.city, theirs.state)))
        found.append(Change("city", was, "/".join(filter(None, (wanted.city, wanted.state)))))
    return tuple(found)


def changed_data(wanted: TakerData, found: Sequence[Change]) -> TakerData:
    """Return the customer with only the changed fields filled."""
    names = {change.field for change in found}
    if "city" in names:
        names.update(_PLACE)
    only = TakerData(**{name: getattr(wanted, name) for name in (*_WORDS, *_PLACE) if name in names})
    return replace(only, emails=wanted.emails) if "email" in names else only


def _is_same(name: str, theirs: str | None, ours: str) -> bool:
    if theirs is None:
        return False
    if name in _DIGITS:
        return "".join(filter(str.isdigit, theirs)) == "".join(filter(str.isdigit, ours))
    return folded(theirs) == folded(ours)
