"""Records of the providers that people manage by command: emitters, accounts, orders and others.

A connector describes each kind once, as a `Resource`. The stations preview and write by that description alone. Values
are texts by the document's field names; names of nested fields have dots: `address.street`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal

from domain.problems import Problem
from domain.taker_changes import Change
from domain.texts import folded

Verb = Literal["create", "change", "replace", "remove"]
Values = Mapping[str, str]
Path = tuple[str, ...]

MASK: Final = "********"
_DECIMAL: Final = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,6}")
_SIGNS: Final = str.maketrans("", "", "./-() +")


@dataclass(frozen=True, slots=True)
class Record:
    """One record as the provider shows it. Commands name it by `path`. `values` contain no secrets."""

    path: Path
    name: str
    values: Values = field(repr=False)


@dataclass(frozen=True, slots=True)
class Draft:
    """A request before it is sent: its body, and its values as people read them."""

    body: Any = field(repr=False)
    values: Values = field(repr=False)


@dataclass(frozen=True, slots=True)
class Write:
    """One way to create, change, replace or remove a record.

    Args:
        fields: Names of the accepted fields.
        check: Build the request from texts; send nothing. Raises `InputError` with a problem for each wrong field.
        send: Send one request. Raises the errors of `connectors.http.errors`.
        is_issuing: Whether it issues or cancels a tax document.
        is_repeatable: Whether a repetition changes nothing. Such a write may be sent again after a lost answer, even
            if the provider cannot show it.
    """

    fields: tuple[str, ...]
    check: Callable[[Values], Draft]
    send: Callable[[Path, Draft], Awaitable[Record | None]]
    is_issuing: bool = False
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind of record.

    Args:
        kind: Name in commands: `emitter`, `account-history`.
        system: Name of the system that holds it.
        parts: Names of the parts of a path; all but the last are the place of a list or of a new record.
        columns: Fields that a list shows.
        filters: Names of a list's filters.
        key: Tuples of fields; each tuple finds a created record again.
        secrets: Fields that are never shown.
        unseen: Fields, besides the secrets, that no answer contains.
        ours: What such a record may be in the ledger. Commands refuse to change a record that the ledger has: only the
            stations change it.
        is_document: A new record is one whole document: the JSON in the field `document`.
        all: List the records of a place (the path without its last part), with filters.
        read: Read one record. Raises `NotFound`.
        is_gone: Return whether a readable record has been removed.
        protects: Return the problem that forbids a write of an existing record, or None. It may read, and writes
            nothing.
    """

    kind: str
    system: str
    parts: tuple[str, ...]
    columns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    key: tuple[tuple[str, ...], ...] = ()
    secrets: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()
    ours: Literal["invoice", "batch", "number"] | None = None
    is_document: bool = False
    all: Callable[[Path, Values], Awaitable[Sequence[Record]]] | None = None
    read: Callable[[Path], Awaitable[Record]] | None = None
    is_gone: Callable[[Record], bool] = field(default=lambda _record: False)
    protects: Callable[[Verb, Record, Values], Awaitable[Problem | None]] | None = None
    writes: Mapping[Verb, Write] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, ...]:
        """Return the names of the parts that make the place of a new record."""
        return self.parts[:-1]


def changes_of(resource: Resource, shown: Values, wanted: Values) -> tuple[Change, ...]:
    """Return the changes, field by field. A given field that no answer shows always counts as a change."""
    return tuple(
        Change(name, "", MASK) if name in resource.secrets else Change(name, shown.get(name, ""), value)
        for name, value in wanted.items()
        if name in resource.secrets or name in resource.unseen or not is_same(shown.get(name, ""), value)
    )


def has_values(resource: Resource, shown: Values, wanted: Values) -> bool:
    """Return whether a record has the given values; skip fields that answers never contain."""
    hidden = resource.secrets | resource.unseen
    return all(is_same(shown.get(name, ""), value) for name, value in wanted.items() if name not in hidden)


def losses_of(shown: Values, wanted: Values, fields: Sequence[str]) -> tuple[Change, ...]:
    """Return the fields that a replacement empties: those of `fields` that are filled now and not in `wanted`."""
    return tuple(Change(name, shown[name], "") for name in fields if shown.get(name) and name not in wanted)


def bears_key(resource: Resource, record: Record, wanted: Values) -> bool:
    """Return whether a record has a key in common with the record to create, whose values are `wanted`."""
    return any(
        all(name in wanted and is_same(record.values.get(name, ""), wanted[name]) for name in names)
        for names in resource.key
    )


def is_same(one: str, other: str) -> bool:
    """Return whether two values are equal without letter case, accents, punctuation of numbers and final zeros."""
    if folded(one) == folded(other):
        return True
    if _DECIMAL.fullmatch(one) or _DECIMAL.fullmatch(other):
        try:
            return Decimal(one) == Decimal(other)
        except InvalidOperation:
            return False
    bare, wanted = one.translate(_SIGNS), other.translate(_SIGNS)
    return bare == wanted and bare.isdecimal()
