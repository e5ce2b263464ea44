"""Define roles, the acts that each role allows, and the acting person."""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

LONGEST_EMAIL: Final = 254
LEAST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 256


class Role(StrEnum):
    """The roles of an enrolment. An auditor may only read."""

    CLERK = "clerk"
    APPROVER = "approver"
    OPERATOR = "operator"
    AUDITOR = "auditor"


class Permission(StrEnum):
    """An act that needs a role."""

    BILL = "bill"
    APPROVE = "approve"
    OPERATE = "operate"


_ALLOWED: Final = {
    Permission.BILL: frozenset({Role.CLERK, Role.OPERATOR}),
    Permission.APPROVE: frozenset({Role.APPROVER}),
    Permission.OPERATE: frozenset({Role.OPERATOR}),
}


def roles_for(act: Permission) -> frozenset[Role]:
    """Return the roles that allow this act, each by itself."""
    return _ALLOWED[act]


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts.

    `account` is the machine's user. `staff_id` is None if nobody is enrolled: then `name` is that user. `names` are
    folded names of this person: machine users and folders of the inbox. `revision` counts changes of the enrolment;
    an approval with an older revision is void. `is_automatic`: the profile approves without a person.
    """

    name: str
    account: str = ""
    staff_id: int | None = None
    email: str = ""
    revision: int = 0
    names: frozenset[str] = frozenset()
    is_automatic: bool = False

    @property
    def signature(self) -> str:
        """Return the name for records, with the enrolled address, or with the machine's user if it differs."""
        beside = self.email or self.account
        return self.name if beside in {"", self.name} else f"{self.name} ({beside})"

    def is_called_by_account_alone(self, name: str) -> bool:
        """Return whether only the machine's user connects a name in a record with this person."""
        is_account = folded_name(name) == folded_name(self.account)
        return is_account and (self.staff_id is None or not replace(self, account="").is_called(name))

    def is_called(self, name: str) -> bool:
        """Return whether a name in a record means this person."""
        known = {folded_name(each) for each in (self.name, self.account, self.email, self.signature) if each}
        return folded_name(name) in known | self.names


def folded_name(text: str) -> str:
    """Return a name in its form for comparison: case-folded, single spaces, one Unicode form."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse_email(text: str) -> str | None:
    """Return an e-mail address in lower case, or None for any other text."""
    address = text.strip().lower()
    box, at, host = address.rpartition("@")
    is_plain = address.isascii() and address.isprintable() and not set(address) & set(' "(),:;<>[]\\')
    is_host = "." in host and all(part and not part.startswith("-") for part in host.split("."))
    return address if box and at and "@" not in box and is_plain and is_host and len(address) <= LONGEST_EMAIL else None


def is_weak(password: str, *, about: Collection[str]) -> bool:
    """Return whether a password is too short, too long, repetitive, or a name or address of its owner."""
    folded = folded_name(password)
    is_guessable = len(set(folded)) < 5 or any(folded == folded_name(each) for each in about)
    return not LEAST_PASSWORD <= len(password) <= LONGEST_PASSWORD or is_guessable or not password.isprintable()
