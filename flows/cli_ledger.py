"""The commands `ledger`: copies, quarantine, verification of the journal, export, detached months, size."""

import asyncio
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from cyclopts import App

from configs.catalogue import Catalogue
from connectors.ledger.backup.verify import Verified
from connectors.ledger.observations.sizes import ledger_size
from domain.competence import BRASILIA, format_competence
from domain.money import format_brl
from domain.problems import Problem
from domain.staff import Permission
from flows.arguments import Profile, console, parse_month, require_reason
from flows.authentication import acting_name, acting_person
from flows.os_account import account_name
from flows.safe_console import show_alarm
from tasks.backup import copies, detaching
from tasks.backup.restore_check import compare_restored, lift_quarantine, quarantine_ledger, quarantined_since
from tasks.runtime import open_context, open_runtime, words_of

_SHOWN: Final = 20
_TABLES_SHOWN: Final = 8

ledger = App(name="ledger")


@ledger.command
def backup(file: Path | None = None, *, profile: Profile = "local") -> None:
    """Copy the whole ledger into one file, while other processes work."""
    with open_context(profile) as context:
        path, copy = copies.back_up(context, file)
        rows = sum(copy.rows.values())
        console.print(context.catalogue.text("ledger.backed_up", rows=rows, sha256=copy.sha256[:12]))
        if copy.head is not None:
            console.print(context.catalogue.text("ledger.head", head=copy.head, unsealed=0))
        console.print(str(path), soft_wrap=True)


@ledger.command
def restore(file: Path, *, profile: Profile = "local") -> None:
    """Restore a copy into the profile's empty ledger, which issues nothing before its comparison with the provider."""
    words = words_of(profile)
    # Nobody is enrolled in the empty ledger, so nobody can prove an identity; freeing the restored one requires it.
    copy = copies.restore(profile, file, person=account_name())
    taken = copy.taken_at.astimezone(BRASILIA).strftime("%d/%m/%Y %H:%M")
    console.print(words.text("ledger.restored", rows=sum(copy.rows.values()), taken=taken))
    show_alarm(console, words.text("ledger.restored_people"), soft_wrap=True)
    console.print(words.text("ledger.next_check"))


@ledger.command
def distrust(*, profile: Profile = "local") -> None:
    """Treat the ledger as an older copy of itself: it issues nothing before its comparison with the provider."""
    with open_context(profile) as context:
        quarantine_ledger(context, person=acting_name(context, Permission.OPERATE))
        console.print(context.catalogue.text("ledger.distrusted"))
        show_alarm(console, context.catalogue.text("ledger.restored_people"), soft_wrap=True)
        console.print(context.catalogue.text("ledger.next_check"))


@ledger.command
def check(*, full: bool = False, profile: Profile = "local") -> None:
    """Compare a restored ledger with the provider, and free it if everything is explained."""
    asyncio.run(_check(profile, is_full=full))


@ledger.command
def free(*, because: str, profile: Profile = "local") -> None:
    """Free a restored ledger although something is unexplained."""
    with open_context(profile) as context:
        warnings = lift_quarantine(
            context, because=require_reason(because), person=acting_name(context, Permission.OPERATE)
        )
        console.print(context.catalogue.text("ledger.freed"))
        _show(context.catalogue, warnings)


@ledger.command
def verify(file: Path | None = None, *, head: list[str] | None = None, profile: Profile = "local") -> None:
    """Replay the journal and compare it with the tables, of the ledger or of a copy, and with recorded heads."""
    if file is not None:
        words = words_of(profile)
        _, found = copies.verify_copy(profile, file)
        _show_verified(words, found, mend="ledger.copy_unsound")
        return
    with open_context(profile) as context:
        _show_verified(context.catalogue, copies.verify_ledger(context, head or ()), mend="ledger.unsound")


@ledger.command
def export(folder: Path | None = None, *, profile: Profile = "local") -> None:
    """Write journal and tables as CSV and JSON lines, for an auditor."""
    with open_context(profile) as context:
        acting_person(context, Permission.OPERATE)
        path, counts = copies.export(context, folder)
        console.print(context.catalogue.text("ledger.exported", tables=len(counts), rows=sum(counts.values())))
        console.print(str(path), soft_wrap=True)


@ledger.command
def detach(*, before: str | None = None, apply: bool = False, profile: Profile = "local") -> None:
    """Show which closed months past their term can go into files; with --apply, write, prove and detach them."""
    with open_context(profile) as context:
        text = context.catalogue.text
        plan = detaching.plan_detaching(context, None if before is None else parse_month(before))
        person = acting_name(context, Permission.OPERATE) if apply else ""
        for each in plan.months:
            params = {"month": format_competence(each.competence), "amount": format_brl(each.service_cents)}
            console.print(text("ledger.detach_month", count=each.invoices, **params))
        for each, path in detaching.detach(context, plan, person=person) if apply else ():
            params = {"month": format_competence(each.competence), "path": str(path or "-")}
            console.print(text("ledger.detached", **params), soft_wrap=True)
        for each in () if apply else plan.half_detached:
            params = {"month": format_competence(each.competence)}
            console.print(text("ledger.detach_half", **params), soft_wrap=True)
        _show(context.catalogue, [each for each in (plan.detach_problem, plan.unfinished_work) if each is not None])
        if not (plan.months or plan.half_detached):
            console.print(text("ledger.detach_nothing"))
        elif not apply:
            console.print(text("ledger.detach_preview"))


@ledger.command
def size(*, profile: Profile = "local") -> None:
    """Show the ledger's size, the bytes of one note, and the growth."""
    with open_context(profile) as context:
        found = context.ledger.read(ledger_size)
        text = context.catalogue.text
        console.print(text("ledger.size", size=_megabytes(found.bytes), notes=found.notes, each=found.bytes_per_note))
        for name, count in found.by_table[:_TABLES_SHOWN]:
            console.print(text("ledger.size_table", table=name, size=_megabytes(count)))
        year, years = (_megabytes(found.bytes_after(days)) for days in (365, 5 * 365))
        console.print(text("ledger.size_forecast", lately=found.lately, year=year, years=years))
        _show(context.catalogue, list(detaching.detach_notices(context)))


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:.1f}"


async def _check(profile: str, *, is_full: bool) -> None:
    with open_context(profile) as context:
        if quarantined_since(context) is None:
            console.print(context.catalogue.text("ledger.not_waiting"))
            return
    async with open_runtime(profile, station="compare") as runtime:
        result = await compare_restored(runtime)
        if not result.remarks:
            console.print(runtime.catalogue.text("ledger.freed"))
            return
        _show(runtime.catalogue, result.remarks if is_full else list(_first_of_each(result.remarks)))
    sys.exit(1)


def _show_verified(words: Catalogue, found: Verified, *, mend: str) -> None:
    console.print(words.text("ledger.verified", events=found.events, things=found.things))
    if found.head is not None:
        console.print(words.text("ledger.head", head=str(found.head), unsealed=found.unsealed))
    for remark in found.remarks:
        console.print(words.say(remark))
    if not found.is_sound:
        _show(words, found.problems)
        console.print(words.text(mend))
        sys.exit(1)
    console.print(words.text("ledger.sound"))


def _first_of_each(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the first problems of each code, then how many more there are."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.code, []).append(problem)
    for same in kinds.values():
        yield from same[:_SHOWN]
        if len(same) > _SHOWN:
            yield Problem("ledger.more_to_look_at", params={"count": len(same) - _SHOWN})


def _show(words: Catalogue, problems: Sequence[Problem]) -> None:
    for problem in problems:
        show_alarm(console, words.say(problem), soft_wrap=True)
