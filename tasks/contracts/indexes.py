"""Import monthly changes of price indexes from a workbook: plan the entries, and enter them once a person agrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from connectors.ledger import contracts as ledger_contracts
from connectors.spreadsheets.master.indexes import IndexReader
from connectors.spreadsheets.master.rows import MasterRow
from domain.competence import format_competence
from domain.contracts.contract import Index
from domain.taker_changes import Change
from tasks.master_data.plans import MasterPlan, MasterStatus, add_refused_rows, group_by_key, merge_rows, read_rows
from tasks.runtime import Context

KnownChanges = Mapping[tuple[Index, date], Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPlan(MasterPlan):
    """The planned entry of one monthly change of a price index; `change` is in percent."""

    entry: tuple[Index, date]
    change: Decimal


def plan_indexes(context: Context, path: Path, *, sheet: str | None = None) -> list[MasterPlan]:
    """Plan the entries of the workbook; write nothing. Raises `InputError` for an unreadable file."""
    rows = read_rows(context, path, "indexes", IndexReader, sheet=sheet)
    known = context.ledger.read(ledger_contracts.index_changes)
    return add_refused_rows([_plan(key, group, known) for key, group in group_by_key(rows).items()], rows)


def apply_indexes(context: Context, plans: Sequence[MasterPlan], *, person: str) -> list[MasterPlan]:
    """Write the planned index values to the ledger in one transaction. Return all plans."""
    wanted = [each for each in plans if isinstance(each, IndexPlan) and each.status in ("new", "changed")]
    context.ledger.write(ledger_contracts.store_indexes, {each.entry: each.change for each in wanted}, by=person)
    return list(plans)


def _plan(key: tuple[str, ...], group: Sequence[MasterRow], known: KnownChanges) -> MasterPlan:
    index, month = Index(key[0]), date.fromisoformat(f"{key[1]}-01")
    plan = merge_rows(group, f"{index.label} {format_competence(month)}")
    if plan.status == "refused":
        return plan
    was, becomes = known.get((index, month)), Decimal(str(plan.values["change"]))
    status: MasterStatus = "new" if was is None else "same" if was == becomes else "changed"
    changes = (Change("change", _percent(was), _percent(becomes)),) if was is not None and was != becomes else ()
    return IndexPlan(plan.rows, status, plan.who, changes, entry=(index, month), change=becomes)


def _percent(change: Decimal) -> str:
    """Return a change with a percent sign and a decimal comma."""
    return f"{change}%".replace(".", ",")
