"""Who acts: the one function that commands, forms and a portal call before they do what only some people may do.

Where nobody is enrolled, the machine's user acts, as long as the profile is not production. From the first enrolment
on, everybody proves who they are by address and password.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from connectors.ledger.staff import proofs
from connectors.ledger.staff import records as staff_records
from connectors.ledger.staff.records import StaffRecord
from domain.problems import FaturistaError, Problem
from domain.staff import Act, Actor, parse_email
from tasks.runtime import Context
from tasks.staff.passwords import is_right

_LONGEST_SECRET: Final = 1_024


@dataclass(frozen=True, slots=True)
class Proof:
    """What somebody proves themselves with."""

    email: str
    password: str = field(repr=False)


def identify(context: Context, act: Act, *, account: str, ask: Callable[[str], Proof]) -> Actor:
    """Return who acts.

    Args:
        context: What works without the provider.
        act: What the person is about to do.
        account: The machine's user, or who else the caller acts for.
        ask: Asks for a proof; it gets the address of the person whom the ledger knows by `account`, or an empty text.

    Raises:
        FaturistaError: Production and nobody is enrolled; the proof is wrong; the person's role does not allow this.
    """
    if not context.ledger.read(staff_records.has_any):
        if context.settings.is_production:
            raise FaturistaError(Problem("staff.nobody_enrolled"))
        return Actor(account, account)
    found = prove(context, ask(_usual_email(context, account)), account=account)
    if found.temporary_until is not None:
        raise FaturistaError(Problem("staff.temporary"))
    context.ledger.read(staff_records.refuse_role, found, act)
    return actor_of(found, account=account)


def prove(context: Context, proof: Proof, *, account: str) -> StaffRecord:
    """Return whose address and password these are.

    Raises `FaturistaError` in the same words and after the same work whatever is wrong: an unknown or revoked person,
    another password, too many attempts.
    """
    settings = context.settings.staff
    email = parse_email(proof.email) or ""
    attempt = context.ledger.write(proofs.begin, email, by=account, tries=settings.tries, lock_s=settings.lock_s)
    fits = is_right(proof.password[:_LONGEST_SECRET], None if attempt is None else attempt.verifier)
    found = context.ledger.write(proofs.succeed, attempt, by=account) if attempt is not None and fits else None
    if found is None:
        raise FaturistaError(Problem("staff.not_proved"))
    return found


def actor_of(found: StaffRecord, *, account: str) -> Actor:
    """Return an enrolled person as who acts."""
    return Actor(found.name, account, found.id, found.email, found.revision, found.names)


def _usual_email(context: Context, account: str) -> str:
    """Return the address of the one person whom this machine's user means, or an empty text."""
    found = context.ledger.read(staff_records.staff_called, [account])
    return found[0].email if len(found) == 1 and found[0].revoked_at is None else ""
