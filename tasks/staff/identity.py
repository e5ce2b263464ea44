"""Identify the acting person. Commands, forms and a portal call this before every act that needs a role.

Where nobody is enrolled, the machine's user acts, as long as the profile is not production. From the first enrolment
on, everybody proves their identity by address and password.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from connectors.ledger.staff import login_attempts
from connectors.ledger.staff import records as staff_records
from connectors.ledger.staff.records import StaffRecord
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission, parse_email
from tasks.runtime import Context
from tasks.staff.passwords import is_password_correct

_LONGEST_SECRET: Final = 1_024


@dataclass(frozen=True, slots=True)
class Credentials:
    """The address and the password of a person."""

    email: str
    password: str = field(repr=False)


def identify(context: Context, act: Permission, *, account: str, ask: Callable[[str], Credentials]) -> Actor:
    """Return the acting person.

    Args:
        context: The open profile; no provider is needed.
        act: The intended act.
        account: The machine's user, or another user name that the caller has verified.
        ask: Asks for credentials. Its argument is the address of the person enrolled with `account`, or an empty text.

    Raises:
        FaturistaError: Production and nobody is enrolled; wrong credentials; the person's role does not allow this.
    """
    if not context.ledger.read(staff_records.has_any):
        if context.settings.is_production:
            raise FaturistaError(Problem("staff.nobody_enrolled"))
        return Actor(account, account)
    found = verify_credentials(context, ask(_usual_email(context, account)), account=account)
    if found.temporary_until is not None:
        raise FaturistaError(Problem("staff.temporary"))
    context.ledger.read(staff_records.refuse_role, found, act)
    return actor_of(found, account=account)


def verify_credentials(context: Context, credentials: Credentials, *, account: str) -> StaffRecord:
    """Return the person with this address and password. Record the attempt in the ledger.

    Raises `FaturistaError` with the same words and after the same work for every cause: an unknown or revoked person,
    a wrong password, too many attempts.
    """
    settings = context.settings.staff
    email = parse_email(credentials.email) or ""
    attempt = context.ledger.write(
        login_attempts.begin, email, by=account, tries=settings.tries, lock_s=settings.lock_s
    )
    fits = is_password_correct(credentials.password[:_LONGEST_SECRET], None if attempt is None else attempt.verifier)
    found = context.ledger.write(login_attempts.succeed, attempt, by=account) if attempt is not None and fits else None
    if found is None:
        raise FaturistaError(Problem("staff.not_proved"))
    return found


def actor_of(found: StaffRecord, *, account: str) -> Actor:
    """Return an enrolled person as an actor."""
    return Actor(found.name, account, found.id, found.email, found.revision, found.names)


def _usual_email(context: Context, account: str) -> str:
    """Return the address of the only person with this machine's user, or an empty text."""
    found = context.ledger.read(staff_records.staff_called, [account])
    return found[0].email if len(found) == 1 and found[0].revoked_at is None else ""
