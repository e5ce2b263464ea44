"""Commands `records`: show records at the providers, and change them after a preview."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from configs.catalogue import Catalogue
from connectors.http.errors import NotFound
from connectors.ledger import remote_changes
from domain.competence import BRASILIA
from domain.problems import FaturistaError, InputError, Problem
from domain.resources import Record, Resource, Verb
from domain.staff import Permission
from flows.arguments import Profile, console, require_reason
from flows.authentication import acting_name
from flows.console_table import change_line, show_list
from flows.os_account import account_name
from flows.safe_console import show_alarm
from tasks.records import plans
from tasks.records.carry_out import Requester, carry_out
from tasks.records.certificates import read_upload, store_certificate_expiry
from tasks.records.kinds import Kind, OpenResource, open_resource
from tasks.records.plans import RecordPlan
from tasks.records.record_fields import SheetLine, read_fields, sheet_rows
from tasks.runtime import open_context
from tasks.runtime.secrets import resolve_secret

_NEWEST = 50

SetFields = Annotated[list[str] | None, Parameter(name="--set")]
Outcome = Literal["done", "absent"]

records = App(name="records")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arguments:
    """The arguments of one command."""

    kind: Kind
    verb: Verb
    path: tuple[str, ...]
    values: Sequence[str] = ()
    file: Path | None = None
    certificate: Path | None = None
    password: str | None = field(default=None, repr=False)
    because: str | None = None
    is_applied: bool = False
    profile: str = "local"


@records.command(name="list")
def list_(
    kind: Kind,
    *path: str,
    where: Annotated[list[str] | None, Parameter(name="--where")] = None,
    profile: Profile = "local",
) -> None:
    """List the records of a kind, or its records below one path."""
    asyncio.run(_list(kind, path, where or [], profile))


@records.command
def show(kind: Kind, *path: str, profile: Profile = "local") -> None:
    """Show all fields of one record."""
    asyncio.run(_show(kind, path, profile))


@records.command
def create(
    kind: Kind,
    *path: str,
    values: SetFields = None,
    file: Path | None = None,
    certificate: Path | None = None,
    password: str | None = None,
    because: str | None = None,
    apply: bool = False,
    profile: Profile = "local",
) -> None:
    """Preview a new record; create it with --apply."""
    _write(
        _Arguments(
            kind=kind, verb="create", path=path, values=values or (), file=file, certificate=certificate,
            password=password, because=because, is_applied=apply, profile=profile,
        )
    )  # fmt: skip


@records.command
def change(
    kind: Kind,
    *path: str,
    values: SetFields = None,
    file: Path | None = None,
    certificate: Path | None = None,
    password: str | None = None,
    because: str | None = None,
    apply: bool = False,
    profile: Profile = "local",
) -> None:
    """Preview a change of one record, field by field; make it with --apply."""
    _write(
        _Arguments(
            kind=kind, verb="change", path=path, values=values or (), file=file, certificate=certificate,
            password=password, because=because, is_applied=apply, profile=profile,
        )
    )  # fmt: skip


@records.command
def replace(
    kind: Kind,
    *path: str,
    values: SetFields = None,
    file: Path | None = None,
    certificate: Path | None = None,
    password: str | None = None,
    because: str | None = None,
    apply: bool = False,
    profile: Profile = "local",
) -> None:
    """Preview the replacement of one record and what it would lose; replace it with --apply."""
    _write(
        _Arguments(
            kind=kind, verb="replace", path=path, values=values or (), file=file, certificate=certificate,
            password=password, because=because, is_applied=apply, profile=profile,
        )
    )  # fmt: skip


@records.command
def remove(kind: Kind, *path: str, because: str | None = None, apply: bool = False, profile: Profile = "local") -> None:
    """Preview a removal or cancellation; do it with --apply."""
    _write(_Arguments(kind=kind, verb="remove", path=path, because=because, is_applied=apply, profile=profile))


@records.command
def sheet(
    kind: Kind,
    verb: Verb,
    file: Path,
    *,
    because: str | None = None,
    apply: bool = False,
    profile: Profile = "local",
) -> None:
    """Preview what each row of a workbook would create, change or remove; do it row by row with --apply."""
    arguments = _Arguments(kind=kind, verb=verb, path=(), file=file, because=because, is_applied=apply, profile=profile)
    asyncio.run(_sheet(arguments, _person(arguments)))


@records.command
def journal(*, profile: Profile = "local") -> None:
    """Show the newest changes, with the person who asked for each and its outcome."""
    with open_context(profile) as context:
        words = context.catalogue
        headings = [
            words.text(f"heading.{name}") for name in ("record_change", "instant", "record", "asked_by", "what")
        ]
        rows = [
            (
                str(each.id),
                f"{each.begun_at.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
                f"{words.text(f'record.verb_{each.verb}')} {each.kind} {each.subject}",
                f"{each.asked_by}: {each.because}",
                words.text(f"record.outcome_{each.outcome or 'open'}"),
            )
            for each in context.ledger.read(remote_changes.newest, _NEWEST)
        ]
        show_list(console, headings, rows, figures=[True, False, False, False, False])


@records.command
def settle(change_id: int, outcome: Outcome, *, profile: Profile = "local") -> None:
    """Record the outcome of a change that cannot be looked up: done, or absent at the provider."""
    with open_context(profile) as context:
        if not context.ledger.write(remote_changes.end, change_id, outcome, acting_name(context, Permission.OPERATE)):
            raise FaturistaError(Problem("record.not_open", params={"id": change_id}))
        console.print(context.catalogue.text("record.settled", id=change_id))


async def _list(kind: Kind, path: tuple[str, ...], where: Sequence[str], profile: str) -> None:
    async with open_resource(profile, kind) as opened:
        found = await plans.list_records(opened, path, read_fields(where))
        words, resource = opened.context.catalogue, opened.resource
    headings = [*(name.replace("_", " ") for name in resource.parts), *resource.columns]
    rows = [_row(resource, each) for each in found]
    if rows:
        show_list(console, headings, rows, figures=[False] * len(headings))
    console.print(words.text("record.count", count=len(rows)))


def _row(resource: Resource, record: Record) -> list[str]:
    return [*record.path, *(record.values.get(name, "") for name in resource.columns)]


async def _show(kind: Kind, path: tuple[str, ...], profile: str) -> None:
    async with open_resource(profile, kind) as opened:
        found = await plans.read_record(opened, path)
    for name, value in found.values.items():
        console.print(f"{name}: {value}", markup=False, soft_wrap=True)


def _write(arguments: _Arguments) -> None:
    asyncio.run(_write_one(arguments, _person(arguments)))


def _person(arguments: _Arguments) -> Requester:
    """Return the person and the reason. Raises `FaturistaError` for a write without a reason."""
    because = require_reason(arguments.because or "") if arguments.is_applied else ""
    if not arguments.is_applied:
        return Requester(account_name(), because)
    with open_context(arguments.profile) as context:
        return Requester(acting_name(context, Permission.OPERATE), because)


async def _write_one(arguments: _Arguments, person: Requester) -> None:
    async with open_resource(arguments.profile, arguments.kind) as opened:
        fields = read_fields(
            arguments.values,
            limit=opened.context.settings.limits.file_bytes,
            file=arguments.file,
            resource=opened.resource,
        )
        upload = None
        if arguments.certificate is not None:
            password = _password(opened.context.catalogue, arguments)
            upload = await read_upload(opened, arguments.path, fields, arguments.certificate, password)
            fields = {**fields, **upload.values}
        plan = await plans.plan_write(opened, arguments.verb, arguments.path, fields)
        if arguments.is_applied:
            plan = await carry_out(opened, plan, person)
        if upload is not None and plan.status == "done":
            await store_certificate_expiry(opened, upload, by=person.name)
    _finish(opened, [plan], is_applied=arguments.is_applied)


def _password(words: Catalogue, arguments: _Arguments) -> str:
    """Return the password from a secret reference, or ask for it without echo."""
    if arguments.password is not None:
        return resolve_secret(arguments.password).get_secret_value()
    return console.input(words.text("certificate.type_password"), password=True)


async def _sheet(arguments: _Arguments, person: Requester) -> None:
    assert arguments.file is not None
    async with open_resource(arguments.profile, arguments.kind) as opened:
        done: list[RecordPlan] = []
        try:
            # Sequential: a row may need the record that the row before it creates.
            for line in sheet_rows(opened, arguments.verb, arguments.file):
                done.append(await _one_row(opened, arguments, person, line))  # noqa: PERF401 - an error keeps the rest
        except BaseException:
            # Show what was done before an outage, then the outage.
            _show_plans(opened, done, is_applied=arguments.is_applied)
            raise
    _finish(opened, done, is_applied=arguments.is_applied)


async def _one_row(opened: OpenResource, arguments: _Arguments, person: Requester, line: SheetLine) -> RecordPlan:
    """Plan one row, and carry the plan out with --apply. Return an input error as a refused plan."""
    try:
        plan = await plans.plan_write(opened, arguments.verb, line.path, line.fields, row=line.row)
        return await carry_out(opened, plan, person) if arguments.is_applied else plan
    except (InputError, NotFound) as error:
        return plans.refused_plan(arguments.verb, line.path, line.row, (error.problem, *error.details))


def _finish(opened: OpenResource, found: Sequence[RecordPlan], *, is_applied: bool) -> None:
    """Show the plan or its outcome. Exit with code 1 after a refusal or an unknown outcome."""
    _show_plans(opened, found, is_applied=is_applied)
    if any(plan.status in ("refused", "doubtful") for plan in found):
        sys.exit(1)


def _show_plans(opened: OpenResource, found: Sequence[RecordPlan], *, is_applied: bool) -> None:
    words = opened.context.catalogue
    for plan in found:
        _show_plan(words, opened.resource.kind, plan)
    if not is_applied and any(plan.status == "planned" for plan in found):
        console.print(words.text("record.apply"))


def _show_plan(words: Catalogue, kind: str, plan: RecordPlan) -> None:
    what = words.text(
        f"record.{plan.status}", verb=words.text(f"record.verb_{plan.verb}"), kind=kind, path=" ".join(plan.path)
    )
    place = "" if plan.row is None else words.text("record.row", row=plan.row)
    name = "" if plan.name in plan.path else plan.name
    console.print(f"{place}{what} {name}".rstrip(), markup=False, soft_wrap=True)
    for each in plan.changes:
        console.print(f"  {change_line(words, each.field, each)}", markup=False, soft_wrap=True)
    for problem in plan.problems:
        show_alarm(console, words.say(problem))
