"""Enrol people, change their roles and limits, and end enrolments."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Final

from connectors.ledger.staff import login_attempts
from connectors.ledger.staff import records as staff_records
from connectors.ledger.staff.records import NewStaff
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Role, folded_name, parse_email
from tasks.runtime import Context
from tasks.staff.identity import Credentials, verify_credentials
from tasks.staff.passwords import hash_password, new_code, require_strong_password

_NOBODYS: Final = frozenset({"scheduler", "inbox", "rehearsal", "nobody", "root"})
"""Names in records that mean no person; nobody can enrol under them."""
_LONGEST_NAME: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentRequest:
    """A requested enrolment, as typed. `limit` is in cents; None: any amount, which approvers need `has_no_limit` for.

    `names` are further names of the person in records: machine users and folders of the inbox.
    """

    email: str
    name: str
    roles: Collection[Role]
    limit: int | None = None
    has_no_limit: bool = False
    names: Collection[str] = ()
    password: str | None = field(default=None, repr=False)


def enrol(context: Context, wanted: EnrolmentRequest, *, by: Actor) -> str:
    """Enrol a person. Return the temporary secret, or an empty text if a password was given.

    Raises `FaturistaError` for an invalid enrolment.
    """
    email = require_email(wanted.email)
    name = _checked_name(wanted.name)
    roles = frozenset(wanted.roles)
    _check_limit(roles, wanted.limit, has_no_limit=wanted.has_no_limit)
    secret = new_code() if wanted.password is None else require_strong_password(wanted.password, about=(email, name))
    new = NewStaff(
        email=email,
        name=name,
        roles=roles,
        limit_cents=wanted.limit,
        names=_checked_names(wanted.names),
        verifier=hash_password(secret),
        temporary_s=context.settings.staff.temporary_s if wanted.password is None else None,
    )
    context.ledger.write(staff_records.enrol, new, by=by)
    return secret if wanted.password is None else ""


def enrol_first(context: Context, wanted: EnrolmentRequest, *, account: str, ask: Callable[[], str]) -> None:
    """Enrol the first person, an operator, with a chosen password. Raises `FaturistaError`.

    Anybody who can open the ledger under this profile may do it while nobody is enrolled: do it at the installation.
    """
    if Role.OPERATOR not in wanted.roles:
        raise FaturistaError(Problem("staff.first_operates"))
    enrol(context, replace(wanted, password=ask()), by=Actor(account, account))


def change(
    context: Context,
    email: str,
    *,
    by: Actor,
    roles: Collection[Role] = (),
    limit: int | None = None,
    has_no_limit: bool = False,
    names: Collection[str] = (),
) -> None:
    """Replace roles, change the limit or add names. Omitted arguments change nothing. Raises `FaturistaError`."""
    context.ledger.write(
        staff_records.change,
        require_email(email),
        by=by,
        roles=frozenset(roles) or None,
        limit=(limit,) if limit is not None or has_no_limit else None,
        names=_checked_names(names),
    )


def reset(context: Context, email: str, *, by: Actor) -> str:
    """Return a temporary secret that replaces a forgotten password. Raises `FaturistaError`."""
    secret = new_code()
    seconds = context.settings.staff.temporary_s
    context.ledger.write(staff_records.reset, require_email(email), hash_password(secret), by=by, temporary_s=seconds)
    return secret


def choose_password(context: Context, credentials: Credentials, chosen: str, *, account: str) -> None:
    """Replace a person's password or temporary secret, which `credentials` contain. Raises `FaturistaError`."""
    found = verify_credentials(context, credentials, account=account)
    password = require_strong_password(chosen, about=(found.email, found.name, credentials.password))
    verifier = hash_password(password)
    context.ledger.write(login_attempts.choose, found.id, found.revision, verifier, by=f"{found.name} ({found.email})")


def require_email(text: str) -> str:
    """Return an e-mail address in its stored form. Raises `FaturistaError`."""
    found = parse_email(text)
    if found is None:
        raise FaturistaError(Problem("staff.no_email", params={"text": text[:40]}))
    return found


def _checked_name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable() or set(name) & set("()"):
        raise FaturistaError(Problem("staff.no_name", params={"most": _LONGEST_NAME}))
    return name


def _checked_names(names: Collection[str]) -> Collection[str]:
    for each in names:
        if folded_name(each) in _NOBODYS:
            raise FaturistaError(Problem("staff.nobodys_name", params={"name": each[:40]}))
    return names


def _check_limit(roles: Collection[Role], limit: int | None, *, has_no_limit: bool) -> None:
    """Raise `FaturistaError` for an approver without an explicit limit: a forgotten option must not mean any amount."""
    if Role.APPROVER in roles and limit is None and not has_no_limit:
        raise FaturistaError(Problem("staff.limit_missing"))
