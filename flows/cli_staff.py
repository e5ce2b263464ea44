"""Commands `staff`: enrol people, change their roles and limits, end enrolments."""

from collections.abc import Callable
from typing import Final

from cyclopts import App

from configs.catalogue import Catalogue
from connectors.ledger.staff import records as staff_records
from connectors.ledger.staff.records import StaffRecord
from domain.competence import BRASILIA
from domain.money import format_brl
from domain.problems import FaturistaError, Problem
from domain.staff import Actor, Permission, Role
from flows.arguments import Profile, console, parse_cents
from flows.authentication import acting_person, ask_credentials, ask_new_password
from flows.console_table import show_list
from flows.os_account import account_name
from tasks.runtime import Context, open_context
from tasks.staff import enrolment
from tasks.staff.enrolment import EnrolmentRequest

staff = App(name="staff")

_LIST: Final = ("enrolled_person", "email", "roles", "limit", "names", "enrolled", "status")


@staff.command
def enrol(
    email: str,
    *,
    name: str,
    role: list[Role],
    limit: str | None = None,
    no_limit: bool = False,
    also: list[str] | None = None,
    profile: Profile = "local",
) -> None:
    """Enrol a person. The first person is an operator and chooses a password at once."""
    wanted = EnrolmentRequest(
        email=email,
        name=name,
        roles=role,
        limit=None if limit is None else parse_cents(limit),
        has_no_limit=no_limit,
        names=also or (),
    )
    with open_context(profile) as context:
        words = context.catalogue
        if context.ledger.read(staff_records.has_any):
            secret = enrolment.enrol(context, wanted, by=acting_person(context, Permission.OPERATE))
            _print_secret(context, wanted.email, secret)
            return
        enrolment.enrol_first(context, wanted, account=account_name(), ask=lambda: ask_new_password(words))
        console.print(words.text("staff.first_enrolled"))


@staff.command
def change(
    email: str,
    *,
    role: list[Role] | None = None,
    limit: str | None = None,
    no_limit: bool = False,
    also: list[str] | None = None,
    profile: Profile = "local",
) -> None:
    """Replace a person's roles, change the limit, or add names of machine users and folders."""
    if not (role or limit or no_limit or also):
        raise FaturistaError(Problem("staff.nothing_to_change"))
    cents = None if limit is None else parse_cents(limit)
    with open_context(profile) as context:
        by = acting_person(context, Permission.OPERATE)
        enrolment.change(context, email, by=by, roles=role or (), limit=cents, has_no_limit=no_limit, names=also or ())
        console.print(context.catalogue.text("staff.changed_it"))


@staff.command
def reset(email: str, *, profile: Profile = "local") -> None:
    """Replace a forgotten password by a temporary secret."""
    with open_context(profile) as context:
        _print_secret(context, email, enrolment.reset(context, email, by=acting_person(context, Permission.OPERATE)))


@staff.command
def password(*, profile: Profile = "local") -> None:
    """Choose your own password; the present or temporary one is asked first."""
    with open_context(profile) as context:
        words = context.catalogue
        credentials = ask_credentials(words)
        enrolment.choose_password(context, credentials, ask_new_password(words), account=account_name())
        console.print(words.text("staff.password_chosen"))


@staff.command
def revoke(email: str, *, profile: Profile = "local") -> None:
    """End an enrolment for ever."""
    with open_context(profile) as context:
        _change_enrolment(context, staff_records.revoke, email)
        console.print(context.catalogue.text("staff.revoked_it"))


@staff.command
def unlock(email: str, *, profile: Profile = "local") -> None:
    """Unlock a person after wrong passwords."""
    with open_context(profile) as context:
        _change_enrolment(context, staff_records.unlock, email)
        console.print(context.catalogue.text("staff.unlocked_it"))


@staff.command(name="list")
def list_(*, profile: Profile = "local") -> None:
    """Show enrolled people with roles, limits and locks."""
    with open_context(profile) as context:
        words = context.catalogue
        found = context.ledger.read(staff_records.staff_all)
        if not found:
            console.print(words.text("staff.none"))
            return
        headings = [words.text(f"heading.{name}") for name in _LIST]
        show_list(
            console, headings, [_row(context, each) for each in found], figures=[name == "limit" for name in _LIST]
        )


def _row(context: Context, each: StaffRecord) -> list[str]:
    words = context.catalogue
    return [
        each.name,
        each.email,
        ", ".join(sorted(words.text(f"staff.role_{role.value}") for role in each.roles)),
        _limit(words, each),
        ", ".join(sorted(each.names)),
        f"{each.enrolled_at.astimezone(BRASILIA):%d/%m/%Y} {each.enrolled_by}",
        _status(context, words, each),
    ]


def _limit(words: Catalogue, each: StaffRecord) -> str:
    """Return the largest total that the person may approve; a dash for a person who may approve nothing."""
    if Role.APPROVER not in each.roles:
        return "–"
    return words.text("staff.no_limit") if each.limit_cents is None else format_brl(each.limit_cents)


def _status(context: Context, words: Catalogue, each: StaffRecord) -> str:
    now = context.clock()
    if each.revoked_at is not None:
        return words.text("staff.is_revoked", at=f"{each.revoked_at.astimezone(BRASILIA):%d/%m/%Y}", by=each.revoked_by)
    if each.locked_until is not None and each.locked_until > now:
        return words.text("staff.is_locked", at=f"{each.locked_until.astimezone(BRASILIA):%d/%m/%Y %H:%M}")
    return words.text("staff.is_new") if each.temporary_until is not None else words.text("staff.is_active")


def _change_enrolment(context: Context, change: Callable[..., None], email: str) -> None:
    by: Actor = acting_person(context, Permission.OPERATE)
    context.ledger.write(change, enrolment.require_email(email), by=by)


def _print_secret(context: Context, email: str, secret: str) -> None:
    hours = round(context.settings.staff.temporary_s / 3600)
    console.print(context.catalogue.text("staff.secret", email=email, secret=secret, hours=hours))
