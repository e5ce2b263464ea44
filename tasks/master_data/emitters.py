"""Plan what a sheet of emitters would change at the provider, and apply the plan once a person agrees.

Never create an emitter: a new one needs its certificate, and a secret does not travel in a sheet.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from connectors.ledger.observations.unsent import unsent_emitters
from connectors.spreadsheets.master.emitters import EmitterReader
from connectors.spreadsheets.master.rows import MasterRow
from domain.documents import Document
from domain.issuing import SERVICE, MasterRecord
from domain.master_fields import EMITTER, field_problems
from domain.problems import Problem
from domain.texts import folded
from tasks.master_data.plans import (
    MasterPlan,
    MasterWriter,
    add_refused_rows,
    apply_plans,
    compare_plan,
    group_by_key,
    merge_rows,
    read_rows,
    refuse_plan,
)
from tasks.master_data.reference import check_codes, fetch_listed_codes
from tasks.runtime import Runtime


async def plan_emitters(runtime: Runtime, path: Path, *, sheet: str | None = None) -> list[MasterPlan]:
    """Plan the changes of the sheet; write nothing. Raises `InputError` for an unreadable file."""
    rows = read_rows(runtime, path, "emitters", EmitterReader, sheet=sheet)
    groups = group_by_key(rows)
    known = await runtime.register(runtime.issuer_of(SERVICE)).records("emitter")
    waiting = await runtime.ledger.read_async(unsent_emitters, [cnpj for (cnpj,) in groups])
    listed = await fetch_listed_codes(runtime, (row.written for row in rows))
    plans = [check_codes(_plan(group, cnpj, known, waiting), listed) for (cnpj,), group in groups.items()]
    return add_refused_rows(plans, rows)


async def apply_emitters(runtime: Runtime, plans: Sequence[MasterPlan]) -> list[MasterPlan]:
    """Apply the planned changes. Return the plans; those that failed are refused, with the reason."""
    return await apply_plans(plans, MasterWriter("emitter", EMITTER, runtime.register(runtime.issuer_of(SERVICE))))


def _plan(group: Sequence[MasterRow], cnpj: str, known: Sequence[MasterRecord], waiting: Collection[str]) -> MasterPlan:
    plan = merge_rows(group, Document("cnpj", cnpj).formatted)
    problems = field_problems(EMITTER, plan.values)
    if plan.status == "refused" or problems:
        return refuse_plan(plan, *plan.problems, *problems)
    found = next((each for each in known if each.cnpj == cnpj), None)
    if found is None:
        return refuse_plan(plan, _absent_problem(plan, cnpj, known))
    plan = compare_plan(replace(plan, who=f"{found.name} · {plan.who}"), EMITTER, found)
    return replace(plan, status="waits") if plan.status == "changed" and cnpj in waiting else plan


def _absent_problem(plan: MasterPlan, cnpj: str, known: Sequence[MasterRecord]) -> Problem:
    """Return the problem of a CNPJ that the account does not have."""
    name = str(plan.values.get("name", ""))
    namesake = next((each for each in known if name and folded(each.name) == folded(name)), None)
    if namesake is not None:
        theirs = Document("cnpj", namesake.cnpj).formatted
        return Problem("emitter.cnpj_fixed", "emitter_cnpj", params={"name": namesake.name, "cnpj": theirs})
    return Problem("emitter.needs_certificate", "emitter_cnpj", params={"cnpj": Document("cnpj", cnpj).formatted})
