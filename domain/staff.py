"""Who may do what here: roles, what each may do, and the person who acts."""

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LONGEST_EMAIL: Final = 254
LEAST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 256


class Role(StrEnum):
    """What somebody is enrolled for. An auditor may only look."""

    CLERK = "clerk"
    APPROVER = "approver"
    OPERATOR = "operator"
    AUDITOR = "auditor"


class Act(StrEnum):
    """What a command asks a person for."""

    BILL = "bill"
    APPROVE = "approve"
    OPERATE = "operate"


_ALLOWED: Final = {Act.BILL: Role.CLERK, Act.APPROVE: Role.APPROVER, Act.OPERATE: Role.OPERATOR}


def role_for(act: Act) -> Role:
    """Return the one role that may do this."""
    return _ALLOWED[act]


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts.

    `account` is the machine's user. `staff_id` is None where nobody is enrolled: then `name` is that user. `names` are
    folded and lead to this person: machine users and folders of the inbox. `revision` counts changes of the enrolment;
    a yes of an older revision does not count. `is_automatic`: a profile acts that asks nobody.
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
        """The name for records: with the address of who is enrolled, else with the machine's user if it differs."""
        beside = self.email or self.account
        return self.name if beside in {"", self.name} else f"{self.name} ({beside})"

    def is_called(self, name: str) -> bool:
        """Say whether a name in a record leads to this person."""
        known = {folded_name(each) for each in (self.name, self.account, self.email, self.signature) if each}
        return folded_name(name) in known | self.names


def folded_name(text: str) -> str:
    """Return a name as it is compared: without letter case and double spaces, in one Unicode form."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse_email(text: str) -> str | None:
    """Return an address in lower case, or None for a text that is none."""
    address = text.strip().lower()
    box, at, host = address.rpartition("@")
    is_plain = address.isascii() and address.isprintable() and not set(address) & set(' "(),:;<>[]\\')
    is_host = "." in host and all(part and not part.startswith("-") for part in host.split("."))
    return address if box and at and "@" not in box and is_plain and is_host and len(address) <= LONGEST_EMAIL else None


def is_weak(password: str, *, about: Collection[str]) -> bool:
    """Say whether a password is too short, too long, of few different letters, or a name or an address of its owner."""
    folded = folded_name(password)
    is_guessable = len(set(folded)) < 5 or any(folded == folded_name(each) for each in about)
    return not LEAST_PASSWORD <= len(password) <= LONGEST_PASSWORD or is_guessable or not password.isprintable()
