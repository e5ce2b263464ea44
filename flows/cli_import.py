"""The commands `import`: show what a sheet of master data would change, and write it with `--apply`."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from cyclopts import App

from configs.catalogue import Catalogue
from domain.problems import Where
from domain.staff import Permission
from flows.arguments import Profile, console, require_readable
from flows.authentication import acting_name, acting_person
from flows.console_table import change_line
from flows.screens import show_columns, show_remarks, show_table
from tasks.contracts.indexes import apply_indexes, plan_indexes
from tasks.contracts.plans import apply_contracts, plan_contracts, unbilled_last_month_problem
from tasks.master_data.emitters import apply_emitters, plan_emitters
from tasks.master_data.plans import MasterPlan, MasterStatus, SheetColumns, count_statuses, read_columns
from tasks.master_data.takers import TakerPlan, apply_takers, count_changes, plan_takers
from tasks.master_data.templates import apply_templates, plan_templates
from tasks.runtime import open_context, open_runtime

ROWS_SHOWN = 200

MasterKind = Literal["template", "emitter"]
_STATIONS: Final = {
    "template": (plan_templates, apply_templates),
    "emitter": (plan_emitters, apply_emitters),
}

import_ = App(name="import")


@import_.command
def takers(file: Path, *, apply: bool = False, sheet: str | None = None, profile: Profile = "local") -> None:
    """Show what a sheet of customers would create and change at the provider; with --apply, write it."""
    asyncio.run(_take(require_readable(file, profile), is_applied=apply, sheet=sheet, profile=profile))


@import_.command
def templates(file: Path, *, apply: bool = False, sheet: str | None = None, profile: Profile = "local") -> None:
    """Show what a sheet of service templates would create and change at the provider; with --apply, write it."""
    asyncio.run(
        _take_master("template", require_readable(file, profile), is_applied=apply, sheet=sheet, profile=profile)
    )


@import_.command
def emitters(file: Path, *, apply: bool = False, sheet: str | None = None, profile: Profile = "local") -> None:
    """Show what a sheet of issuing companies would change at the provider; with --apply, write it.

    Register a new company with `records create emitter`, because its certificate does not travel in a sheet.
    """
    asyncio.run(
        _take_master("emitter", require_readable(file, profile), is_applied=apply, sheet=sheet, profile=profile)
    )


@import_.command
def contracts(file: Path, *, apply: bool = False, sheet: str | None = None, profile: Profile = "local") -> None:
    """Show what a workbook of contracts would add and change in the ledger; with --apply, write it."""
    with open_context(profile) as context:
        _show_columns(context.catalogue, read_columns(context, file, "contracts", sheet=sheet))
        plans = plan_contracts(context, file, sheet=sheet)
        if apply:
            plans = apply_contracts(context, plans, person=acting_name(context, Permission.BILL), because=file.name)
        _show_master(context.catalogue, "contract", plans, is_applied=apply)
        if (before := unbilled_last_month_problem(context, plans)) is not None:
            show_remarks(console, context.catalogue, [before])


@import_.command
def indexes(file: Path, *, apply: bool = False, sheet: str | None = None, profile: Profile = "local") -> None:
    """Show which monthly changes of price indexes a workbook would enter; with --apply, write them."""
    with open_context(profile) as context:
        _show_columns(context.catalogue, read_columns(context, file, "indexes", sheet=sheet))
        plans = plan_indexes(context, file, sheet=sheet)
        if apply:
            plans = apply_indexes(context, plans, person=acting_name(context, Permission.BILL))
        _show_master(context.catalogue, "index", plans, is_applied=apply)


async def _take_master(kind: MasterKind, file: Path, *, is_applied: bool, sheet: str | None, profile: str) -> None:
    plan, carry_out = _STATIONS[kind]
    async with open_runtime(profile, station="import") as runtime:
        words = runtime.catalogue
        _show_columns(words, read_columns(runtime, file, f"{kind}s", sheet=sheet))
        plans = await plan(runtime, file, sheet=sheet)
        if is_applied:
            acting_person(runtime, Permission.OPERATE)
            plans = await carry_out(runtime, plans)
    _show_master(words, kind, plans, is_applied=is_applied)


def _show_master(words: Catalogue, kind: str, plans: Sequence[MasterPlan], *, is_applied: bool) -> None:
    _show(words, kind, plans)
    found = count_statuses(plans)
    code = f"import.done_{kind}" if is_applied else f"import.would_{kind}"
    counts = words.text(code, new=found["new"], changed=found["changed"], same=found["same"])
    console.print(" ".join([counts, *_rest(words, found)]))
    _suggest_apply(words, found, is_applied=is_applied)


async def _take(file: Path, *, is_applied: bool, sheet: str | None, profile: str) -> None:
    async with open_runtime(profile, station="import") as runtime:
        words = runtime.catalogue
        _show_columns(words, read_columns(runtime, file, "takers", sheet=sheet))
        plans = await plan_takers(runtime, file, sheet=sheet)
        if is_applied:
            acting_person(runtime, Permission.OPERATE)
            plans = await apply_takers(runtime, plans)
    _show(words, "taker", plans)
    console.print(_sum(words, plans, is_applied=is_applied))
    _suggest_apply(words, count_changes(plans)[0], is_applied=is_applied)


def _show_columns(words: Catalogue, found: SheetColumns) -> None:
    """Show the field of each column, and remarks about the sheet."""
    show_columns(console, words, found.columns)
    show_remarks(console, words, found.remarks)


def _show(words: Catalogue, kind: str, plans: Sequence[TakerPlan | MasterPlan]) -> None:
    shown = [plan for plan in plans if plan.status != "same" or _unused_emails(plan)]
    rows = [
        (
            ", ".join(map(str, plan.rows)),
            plan.who,
            words.text(f"import.{plan.status}"),
            "\n".join(_details(words, plan)),
        )
        for plan in shown[:ROWS_SHOWN]
    ]
    show_table(console, words, ("rows", kind, "what", "detail"), rows)


def _details(words: Catalogue, plan: TakerPlan | MasterPlan) -> Iterator[str]:
    for problem in plan.problems:
        # The table shows the row already.
        yield words.say(replace(problem, where=Where(column=problem.where.column)))
    for change in plan.changes:
        yield change_line(words, words.field(change.field), change)
    if unused := _unused_emails(plan):
        yield words.text("import.email_unused", emails=", ".join(unused))


def _unused_emails(plan: TakerPlan | MasterPlan) -> tuple[str, ...]:
    return plan.unused_emails if isinstance(plan, TakerPlan) else ()


def _sum(words: Catalogue, plans: Sequence[TakerPlan], *, is_applied: bool) -> str:
    found, groups = count_changes(plans)
    counted = ", ".join(words.text(f"import.group_{name}", count=count) for name, count in sorted(groups.items()))
    code = "import.done" if is_applied else "import.would"
    counts = words.text(code, new=found["new"], changes=counted or words.text("import.nothing"), same=found["same"])
    return " ".join([counts, *_rest(words, found)])


def _rest(words: Catalogue, found: Counter[MasterStatus]) -> Iterator[str]:
    """Yield sentences about what is not written."""
    for code, count in (("import.waiting", found["waits"]), ("import.refusals", found["refused"])):
        if count:
            yield words.text(code, count=count)


def _suggest_apply(words: Catalogue, found: Counter[MasterStatus], *, is_applied: bool) -> None:
    if not is_applied and (found["new"] or found["changed"]):
        console.print(words.text("import.apply"))
