"""Plan what a sheet of customers would create and change at the provider, and apply the plan once a person agrees."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path

from configs.reference.cities import load_cities
from connectors.http.errors import Doubtful, Refused
from connectors.ledger import parties as ledger_parties
from connectors.ledger.observations.unsent import unsent_takers
from connectors.spreadsheets.master.takers import TakerRow, read_takers
from domain.cities import CityRules, city_of
from domain.issuing import SERVICE, RemoteCustomer
from domain.parties import TakerData, conflicts, fill_missing, taker_problems
from domain.problems import Problem
from domain.taker_changes import Change, changed_data, changes
from domain.texts import folded
from tasks.issuance.refusals import refusals
from tasks.master_data.plans import MasterStatus, open_master
from tasks.runtime import Context, Runtime
from tasks.runtime.task_group import run_together


@dataclass(frozen=True, slots=True)
class TakerPlan:
    """One customer of the sheet: its rows, and its planned or final status. `remote` is the provider's record of it."""

    rows: tuple[int, ...]
    status: MasterStatus
    written: TakerData
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    remote: RemoteCustomer | None = field(default=None, repr=False)

    @property
    def who(self) -> str:
        """Return the customer's name for people."""
        return self.written.name or ""

    @property
    def unused_emails(self) -> tuple[str, ...]:
        """Return the sheet's e-mails that are lost with this plan: the provider stores only one."""
        if self.status == "refused":
            return ()
        theirs = self.written if self.remote is None else self.remote.data
        usual = theirs.emails[0] if theirs.emails else ""
        kept = next((each.becomes for each in self.changes if each.field == "email"), usual)
        return tuple(address for address in self.written.emails if folded(address) != folded(kept))


def count_changes(plans: Sequence[TakerPlan]) -> tuple[Counter[MasterStatus], Counter[str]]:
    """Count the customers of each status, and those with changes in each kind of data."""
    groups: Counter[str] = Counter()
    for plan in plans:
        if plan.status == "changed":
            groups.update({each.group for each in plan.changes})
    return Counter(plan.status for plan in plans), groups


async def plan_takers(runtime: Runtime, path: Path, *, sheet: str | None = None) -> list[TakerPlan]:
    """Plan the changes of the sheet; write nothing. Raises `InputError` for an unreadable file."""
    rows = _read(runtime, path, sheet)
    groups: defaultdict[str, list[TakerRow]] = defaultdict(list)
    for row in rows:
        if not row.problems and row.taker.document is not None:
            groups[row.taker.document.number].append(row)
    waiting = await runtime.ledger.read_async(unsent_takers, list(groups))
    codes = {
        each.city_code or ""
        for each in await runtime.issuer(runtime.issuer_of(SERVICE)).emitters()
        if each.fault is None
    }
    cities = [city for code in sorted(codes) if (city := city_of(code)) is not None]
    planned = await run_together(
        _plan(runtime, group, cities, waits=document in waiting) for document, group in groups.items()
    )
    bad = [TakerPlan((row.number,), "refused", row.taker, problems=row.problems) for row in rows if row.problems]
    return sorted([*planned, *bad], key=lambda plan: plan.rows)


async def apply_takers(runtime: Runtime, plans: Sequence[TakerPlan]) -> list[TakerPlan]:
    """Create and change customers as planned. Safe to repeat: a customer that is there already is planned as `same`.

    Return the plans. A plan is refused, with the reason, if the provider refuses or does not confirm the customer.
    """
    return await run_together(_apply(runtime, plan) for plan in plans)


def _read(context: Context, path: Path, sheet: str | None) -> list[TakerRow]:
    workbook, layout = open_master(context, path, "takers")
    return read_takers(workbook, layout, cities=load_cities(), sheet=sheet)


async def _plan(runtime: Runtime, group: Sequence[TakerRow], cities: Sequence[CityRules], *, waits: bool) -> TakerPlan:
    takers = [row.taker for row in group]
    numbers = tuple(row.number for row in group)
    differing = sorted({name for one in takers for other in takers for name in conflicts(one, other)})
    if differing:
        problem = Problem("taker.conflict", "name", params={"fields": ", ".join(differing)})
        return TakerPlan(numbers, "refused", takers[0], problems=(problem,))
    taker = reduce(fill_missing, takers)
    assert taker.document is not None
    found = await runtime.register(runtime.issuer_of(SERVICE)).customers(taker.document)
    if not found:
        problems = tuple(problem for city in cities for problem in taker_problems(taker, city))
        return TakerPlan(numbers, "refused" if problems else "new", taker, problems=problems)
    wanted = changes(found[0].data, taker)
    status: MasterStatus = "same" if not wanted else "waits" if waits else "changed"
    return TakerPlan(numbers, status, taker, wanted, remote=found[0])


async def _apply(runtime: Runtime, plan: TakerPlan) -> TakerPlan:
    if plan.status not in ("new", "changed"):
        return plan
    register = runtime.register(runtime.issuer_of(SERVICE))
    try:
        if plan.remote is None:
            taker = await register.create_customer(plan.written)
        else:
            taker = await register.update_customer(plan.remote.id, changed_data(plan.written, plan.changes))
    except Refused as error:
        return replace(plan, status="refused", problems=tuple(refusals(error)))
    except Doubtful:
        return await _look_again(runtime, plan)
    assert plan.written.document is not None
    if taker.document != plan.written.document.number:
        return await _look_again(runtime, plan)
    await _remember(runtime, taker)
    return plan


async def _look_again(runtime: Runtime, plan: TakerPlan) -> TakerPlan:
    """Read the customer after a write with no answer, or a wrong one. Refuse the plan if it was not carried out."""
    assert plan.written is not None
    assert plan.written.document is not None
    found = await runtime.register(runtime.issuer_of(SERVICE)).customers(plan.written.document)
    if not found or changes(found[0].data, plan.written):
        return replace(plan, status="refused", problems=(Problem("taker.not_created", "document"),))
    await _remember(runtime, found[0])
    return plan


async def _remember(runtime: Runtime, taker: RemoteCustomer) -> None:
    await runtime.ledger.write_async(
        ledger_parties.upsert_taker,
        issuer=runtime.issuer_of(SERVICE),
        document=taker.document,
        remote_id=taker.id,
        name=taker.data.name or "",
        body=taker.data.to_json(),
        is_complete=taker.is_complete,
    )
