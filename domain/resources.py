"""Resources of the provider's documents that people look after by command: emitters, accounts, orders and the like.

A connector describes each kind once, as a `Resource`. The stations make previews and writes of it and know no more than
what is here. Values are texts by the document's field names, nested ones with dots: `address.street`.
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
    """One resource as the provider shows it. `path` is what a command calls it by; secrets are never among `values`."""

    path: Path
    name: str
    values: Values = field(repr=False)


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be sent: the request's body, and its values as a person reads them."""

    body: Any = field(repr=False)
    values: Values = field(repr=False)


@dataclass(frozen=True, slots=True)
class Write:
    """One way of changing a resource.

    Args:
        fields: What can be said.
        check: Make the request of what a person said, without asking anybody. Raises `LayoutError` with a problem for
            each field.
        send: Put one request on the wire, with the errors of `connectors.http.errors`.
        is_issuing: It makes or ends a tax document.
        is_repeatable: Doing it twice is as good as once, so that one without an answer may be sent again in the end
            although nothing shows whether it was done.
    """

    fields: tuple[str, ...]
    check: Callable[[Values], Draft]
    send: Callable[[Path, Draft], Awaitable[Record | None]]
    is_issuing: bool = False
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind of resource.

    Args:
        kind: As a person types it: `emitter`, `account-history`.
        system: The name of the line to whoever holds it.
        parts: The names of the parts of a path; all but the last say where a list or a new one belongs.
        columns: The fields that a list shows.
        filters: What a list can be asked for.
        key: Fields by any of which a new one is found again, or tuples of fields that only together do.
        secrets: Fields that are never shown.
        unseen: Fields that no answer has, besides the secrets.
        ours: What of it the ledger may hold, which then only the line changes.
        is_document: What is created is one whole document, said as the JSON of the field `document`.
        all: List those under a path, perhaps with filters.
        read: Read one. Raises `NotFound`.
        is_gone: Whether one that can still be read has been removed.
        protects: Why one must not be removed, None where it may.
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
    protects: Callable[[Record], Problem | None] = field(default=lambda _record: None)
    writes: Mapping[Verb, Write] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, ...]:
        """Return the names of the parts that say where a new one belongs."""
        return self.parts[:-1]


def changes_of(resource: Resource, shown: Values, said: Values) -> tuple[Change, ...]:
    """Return what would change, field by field; a secret that is said is always a change."""
    return tuple(
        Change(name, "", MASK) if name in resource.secrets else Change(name, shown.get(name, ""), value)
        for name, value in said.items()
        if name in resource.secrets or name in resource.unseen or not is_same(shown.get(name, ""), value)
    )


def is_as_said(resource: Resource, shown: Values, said: Values) -> bool:
    """Whether a record shows what was said, as far as any answer can."""
    hidden = resource.secrets | resource.unseen
    return all(is_same(shown.get(name, ""), value) for name, value in said.items() if name not in hidden)


def losses_of(shown: Values, said: Values, fields: Sequence[str]) -> tuple[Change, ...]:
    """Return the fields that a replacement empties: those that can be said, are shown and are not said."""
    return tuple(Change(name, shown[name], "") for name in fields if shown.get(name) and name not in said)


def bears_key(resource: Resource, record: Record, said: Values) -> bool:
    """Whether a record has the key of what a person wants to create."""
    return any(
        all(name in said and is_same(record.values.get(name, ""), said[name]) for name in names)
        for names in resource.key
    )


def is_same(one: str, other: str) -> bool:
    """Whether two values say the same: letter case, accents, punctuation of numbers and last zeros do not count."""
    if folded(one) == folded(other):
        return True
    if _DECIMAL.fullmatch(one) or _DECIMAL.fullmatch(other):
        try:
            return Decimal(one) == Decimal(other)
        except InvalidOperation:
            return False
    bare, wanted = one.translate(_SIGNS), other.translate(_SIGNS)
    return bare == wanted and bare.isdecimal()
