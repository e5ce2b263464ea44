"""Import monthly changes of price indexes from a workbook: first show the plan, then enter it on order."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from configs.reference.cities import load_cities
from connectors.ledger import contracts as ledger_contracts
from connectors.spreadsheets.master.indexes import read_indexes
from connectors.spreadsheets.master.rows import MasterRow
from domain.contracts.contract import Index
from domain.taker_changes import Change
from tasks.master_data.plans import Plan, grouped, open_master, plan_of, with_bad_rows
from tasks.runtime import Context

KnownChanges = Mapping[tuple[Index, date], Decimal]


def plan_indexes(context: Context, path: Path, *, sheet: str | None = None) -> list[Plan]:
    """Return what the workbook would enter; write nothing. Raises `LayoutError` for an unreadable file."""
    workbook, layout = open_master(context, path, "indexes")
    rows = read_indexes(workbook, layout, cities=load_cities(), sheet=sheet)
    known = context.ledger.read(ledger_contracts.index_changes)
    return with_bad_rows([_plan(key, group, known) for key, group in grouped(rows).items()], rows)


def apply_indexes(context: Context, plans: Sequence[Plan], *, person: str) -> list[Plan]:
    """Enter the planned changes in one transaction."""
    entered = {_key(*_named(plan.who)): _change(plan) for plan in plans if plan.fate in ("new", "changed")}
    context.ledger.write(ledger_contracts.enter_indexes, entered, by=person)
    return list(plans)


def _plan(key: tuple[str, ...], group: Sequence[MasterRow], known: KnownChanges) -> Plan:
    name, month = key
    plan = plan_of(group, f"{name} {month}")
    if plan.fate == "refused":
        return plan
    was, becomes = known.get(_key(name, month)), _change(plan)
    if was == becomes:
        return Plan(plan.rows, "same", plan.who, said=plan.said)
    if was is None:
        return plan
    return Plan(plan.rows, "changed", plan.who, (Change("change", f"{was}%", f"{becomes}%"),), said=plan.said)


def _named(who: str) -> tuple[str, str]:
    name, month = who.split(" ")
    return name, month


def _key(name: str, month: str) -> tuple[Index, date]:
    return Index(name), date.fromisoformat(f"{month}-01")


def _change(plan: Plan) -> Decimal:
    return Decimal(str(plan.said["change"]))
