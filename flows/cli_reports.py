"""The reports of the command line: workbooks on outcomes, orders and payments."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, Literal

from cyclopts import App

from configs.catalogue import Catalogue
from connectors.ledger.mirror.discrepancies import Decision
from connectors.ledger.mirror.sync_cursors import Kind
from domain.competence import BRASILIA, parse_emission
from domain.problems import FaturistaError, Problem
from domain.staff import Permission
from flows import screens
from flows.arguments import Profile, console, require_reason
from flows.authentication import acting_name
from flows.orchestrator import run_flow, start_notice
from flows.report_orders import report_orders
from flows.report_paid_invoices import report_paid_invoices
from flows.safe_console import ALARM, show_alarm
from tasks.corrections.workbook import write_back
from tasks.orders.decide import decide_clash
from tasks.orders.reports import wanted_plans
from tasks.records.reports import report_adjustments, report_members
from tasks.runtime import open_context, open_order_session
from tasks.stations.intake import find_dropped
from tasks.stations.report import refuse_detached_rows, report_outcome

Listed = Literal["paid-invoices", "orders"]
_KINDS: Final[Mapping[Listed, Kind]] = {"paid-invoices": "paid_invoices", "orders": "orders"}

report = App(name="report")


@report.command
def outcome(file: Path, *, profile: Profile = "local", folder: Path | None = None) -> None:
    """Write the outcome of every row of FILE into a workbook, and its failing rows into another, for correction."""
    with open_context(profile) as context:
        file_id = find_dropped(context, file).id
        refuse_detached_rows(context, file_id)
        console.print(str(report_outcome(context, file_id, folder=folder)))
        screens.show_corrections(console, context.catalogue, write_back(context, file_id, folder=folder))


@report.command(name="paid-invoices")
def paid_invoices(
    *, since: str | None = None, plan: list[str] | None = None, csv: bool = False, profile: Profile = "local"
) -> None:
    """Fetch what was paid for orders and write it by month and plan."""
    day = None if since is None else _day(since)
    words, home = _prepare(profile, plan or [])
    made = run_flow(report_paid_invoices, home, profile=profile, plans=plan or [], since=day, is_csv=csv)
    _show(words, *made)


@report.command
def orders(*, plan: list[str] | None = None, csv: bool = False, profile: Profile = "local") -> None:
    """Fetch all orders and write them by plan and state."""
    words, home = _prepare(profile, plan or [])
    _show(words, *run_flow(report_orders, home, profile=profile, plans=plan or [], is_csv=csv))


@report.command
def adjustments(*, plan: list[str] | None = None, profile: Profile = "local") -> None:
    """Write the adjustments and discounts of orders that are in force today."""
    console.print(str(asyncio.run(report_adjustments(profile, plan or []))), soft_wrap=True)


@report.command
def members(*, profile: Profile = "local") -> None:
    """Write the accounts of the identity service with their members."""
    console.print(str(asyncio.run(report_members(profile))), soft_wrap=True)


@report.command
def decide(listed: Listed, plan: str, number: int, how: Decision, *, because: str, profile: Profile = "local") -> None:
    """Decide which of two contradicting answers of the order service counts."""
    with open_context(profile) as context:
        decide_clash(
            context,
            _KINDS[listed],
            plan,
            number,
            how,
            because=require_reason(because),
            person=acting_name(context, Permission.OPERATE),
        )
        console.print(context.catalogue.text("cli.decided_clash", plan=plan, number=number))


def _prepare(profile: str, plans: Sequence[str]) -> tuple[Catalogue, Path]:
    """Report mistakes before anything slow starts. Return the catalogue and the data folder."""
    with open_context(profile) as context:
        wanted_plans(context, plans)
        open_order_session(context.settings)
        console.print(start_notice(context.catalogue))
        return context.catalogue, Path(context.settings.paths.home)


def _show(words: Catalogue, path: str, remarks: Sequence[Problem]) -> None:
    for remark in remarks:
        show_alarm(console, words.say(remark), style=ALARM)
    console.print(path, soft_wrap=True)


def _day(text: str) -> date:
    found = parse_emission(text)
    if found is None:
        raise FaturistaError(Problem("date.unreadable", "since", params={"text": text[:40]}))
    return found.astimezone(BRASILIA).date()
