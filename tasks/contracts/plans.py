"""Plan what a workbook of contracts would change in the ledger, and apply the plan once a person agrees.

A contract that the workbook does not name stays as it is, so a workbook may contain only the new contracts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.billed_charges import contract_pasts
from connectors.ledger.contracts import ContractRecord, folded_key
from connectors.spreadsheets.master.contracts import ContractReader
from connectors.spreadsheets.master.rows import MasterRow
from domain.competence import add_months, first_of_month, format_competence
from domain.contracts.charges import Indexes, readjust_amount
from domain.contracts.contract import Contract, contract_problems
from domain.contracts.description import description_problems
from domain.contracts.histories import Pasts
from domain.contracts.schedule import is_charged
from domain.contracts.services import Families, overlap_problem, overlaps
from domain.contracts.terms import contract_changes, new_contract, revise_contract
from domain.money import format_brl
from domain.problems import Problem
from domain.texts import count_and_first
from tasks.contracts.month import changed_charges
from tasks.contracts.periods import double_charge_problem, unearned_period
from tasks.master_data.plans import MasterPlan, MasterStatus, add_refused_rows, merge_rows, read_rows, refuse_plan
from tasks.runtime import Context

_AMOUNT: Final = frozenset({"service_cents", "starts_on", "readjustment"})
"""The fields that decide what a whole period costs."""
_TOGETHER: Final = 500
"""Number of contracts in one transaction; other writers then wait briefly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractPlan(MasterPlan):
    """The planned write of one contract. `after` is the ordinal of the version that it changes, 0 if new."""

    contract: Contract
    after: int = 0


def plan_contracts(context: Context, path: Path, *, sheet: str | None = None) -> list[MasterPlan]:
    """Plan the changes of the workbook; write nothing. Raises `InputError` for an unreadable file."""
    rows = read_rows(context, path, "contracts", ContractReader, sheet=sheet)
    known = {folded_key(each.contract.key): each for each in context.ledger.read(ledger_contracts.contracts_all)}
    plans = [_plan(group, known.get(key)) for key, group in _by_key(rows).items()]
    pasts = context.ledger.read(contract_pasts)
    plans = _without_overlaps(plans, known, pasts.families)
    plans = [_without_billed_period(context, each, known, pasts) for each in plans]
    # Again, because a refused change may have made room for another contract.
    return add_refused_rows(_with_remarks(context, _without_overlaps(plans, known, pasts.families)), rows)


def apply_contracts(context: Context, plans: Sequence[MasterPlan], *, person: str, because: str) -> list[MasterPlan]:
    """Write a version of each new or changed contract. Return the plans; refuse a contract changed since the plan."""
    wanted = [each for each in plans if isinstance(each, ContractPlan) and each.status in ("new", "changed")]
    late: set[str] = set()
    for start in range(0, len(wanted), _TOGETHER):
        part = {each.contract.key: (each.contract, each.after) for each in wanted[start : start + _TOGETHER]}
        late |= context.ledger.write(ledger_contracts.write_versions, part, by=person, because=because)
    return [
        _refuse_overtaken(each) if isinstance(each, ContractPlan) and each.contract.key in late else each
        for each in plans
    ]


def _by_key(rows: Sequence[MasterRow]) -> dict[str, list[MasterRow]]:
    groups: dict[str, list[MasterRow]] = {}
    for row in rows:
        if not row.problems:
            groups.setdefault(folded_key(row.key[0]), []).append(row)
    return groups


def _plan(group: Sequence[MasterRow], known: ContractRecord | None) -> MasterPlan:
    (key,) = group[0].key
    plan = merge_rows(group, key)
    if plan.status == "refused":
        return plan
    contract = new_contract(key, plan.values) if known is None else revise_contract(known.contract, plan.values)
    if isinstance(contract, list):
        return refuse_plan(plan, *contract)
    if wrong := list(contract_problems(contract)) or description_problems(contract):
        return refuse_plan(plan, *wrong)
    who = f"{contract.key} · {contract.customer_name}"
    if known is None:
        return ContractPlan(plan.rows, "new", who, contract=contract)
    changes = contract_changes(known.contract, contract)
    status: MasterStatus = "changed" if changes else "same"
    return ContractPlan(plan.rows, status, who, changes, contract=contract, after=known.ordinal)


def _without_billed_period(
    context: Context, plan: MasterPlan, known: Mapping[str, ContractRecord], pasts: Pasts
) -> MasterPlan:
    """Refuse a contract that would charge again days of its service that an invoice covers."""
    if not isinstance(plan, ContractPlan) or plan.status not in ("new", "changed"):
        return plan
    old = known.get(folded_key(plan.contract.key))
    problem = double_charge_problem(context, pasts, None if old is None else old.contract, plan.contract)
    return plan if problem is None else refuse_plan(plan, problem)


def unbilled_last_month_problem(context: Context, plans: Sequence[MasterPlan]) -> Problem | None:
    """Return the problem that no run bills what new contracts charged in the month before, or None."""
    month = add_months(first_of_month(context.today), -1)
    new = [each.contract for each in plans if isinstance(each, ContractPlan) and each.status == "new"]
    keys = [contract.key for contract in new if is_charged(contract, month)]
    if not keys:
        return None
    return Problem("contract.charged_before", params={"month": format_competence(month), **count_and_first(keys)})


def remarks_of(context: Context, contracts: Sequence[Contract]) -> dict[str, list[Problem]]:
    """Return, by folded key, what these new versions leave as it is: invoices, and unbilled amounts."""
    found: dict[str, list[Problem]] = {}
    for month, each in changed_charges(context, contracts) if contracts else ():
        old_terms = Problem("contract.old_terms", params={"month": format_competence(month)})
        head = [old_terms] if each.differs_from_invoice else []
        found.setdefault(folded_key(each.contract.key), []).extend([*head, *each.problems])
    pasts = context.ledger.read(contract_pasts)
    for contract in contracts:
        if (remark := unearned_period(context, pasts, contract)) is not None:
            found.setdefault(folded_key(contract.key), []).append(remark)
    return found


def _with_remarks(context: Context, plans: Sequence[MasterPlan]) -> list[MasterPlan]:
    changed = [each.contract for each in plans if isinstance(each, ContractPlan) and each.status == "changed"]
    remarks = remarks_of(context, changed)
    indexes = context.ledger.read(ledger_contracts.index_changes)
    return [
        replace(
            each,
            problems=(
                *_readjusted(each, first_of_month(context.today), indexes),
                *remarks.get(folded_key(each.contract.key), ()),
            ),
        )
        if isinstance(each, ContractPlan) and each.status in ("new", "changed")
        else each
        for each in plans
    ]


def _readjusted(plan: ContractPlan, month: date, indexes: Indexes) -> Iterator[Problem]:
    """Remark on an amount that counts as that of the start, and that readjustments have changed until this month."""
    if plan.status == "changed" and not any(each.field in _AMOUNT for each in plan.changes):
        return
    contract = plan.contract
    cents, missing = readjust_amount(contract, month, indexes)
    if cents != contract.cents and not missing:
        params = {"base": format_brl(contract.cents), "full": format_brl(cents), "month": format_competence(month)}
        yield Problem("contract.amount_of_start", params=params)


def _without_overlaps(
    plans: Sequence[MasterPlan], known: Mapping[str, ContractRecord], families: Families
) -> list[MasterPlan]:
    """Refuse every contract of the workbook that would bill the same service for the same time as another one."""
    contracts = [each.contract for each in plans if isinstance(each, ContractPlan)]
    ours = {folded_key(each.key) for each in contracts}
    others = (each.contract for key, each in known.items() if key not in ours)
    found = overlaps_of([*contracts, *others], families)
    return [_refuse_overlap(plan, found) if isinstance(plan, ContractPlan) else plan for plan in plans]


def overlaps_of(contracts: Iterable[Contract], families: Families) -> dict[str, str]:
    """Return, by key of each overlapping contract, the key of the other. Both contracts of a pair have an entry."""
    found = overlaps(contracts, families)
    return {other: key for key, other in found.items()} | found


def _refuse_overlap(plan: ContractPlan, found: Mapping[str, str]) -> MasterPlan:
    other = found.get(plan.contract.key)
    if other is None or plan.status == "same":
        return plan
    return refuse_plan(plan, overlap_problem(other))


def _refuse_overtaken(plan: ContractPlan) -> MasterPlan:
    return replace(plan, status="refused", problems=(Problem("contract.changed_meanwhile"),))
