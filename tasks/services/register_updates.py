"""Write changed contact data and addresses into the register before the invoices of rows that ask for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from connectors.ledger import remote_changes
from domain.cities import CityRules
from domain.issuing import SERVICE, RemoteCustomer
from domain.parties import TakerData, disputed, merged, settled, taker_problems
from domain.problems import LayoutError, Problem
from domain.resources import Draft, Path, Record, Resource, Write
from domain.taker_changes import ADDRESS, Change, changed_data, changes
from tasks.records.carry_out import Person, carry_out
from tasks.records.kinds import OpenResource
from tasks.records.plans import Fate, Plan
from tasks.runtime import Runtime

UPDATED: Final = ADDRESS | {"email", "phone"}
"""Fields that a row may update. Name and inscription identify the customer: only `import takers` changes them."""

UPDATED_SAID: Final = UPDATED - {"email"} | {"emails", "city_code", "state"}
"""The same fields by their names in `TakerData`."""


@dataclass(frozen=True, slots=True)
class Update:
    """The customer as the register has it now, or the problem that holds its rows, and the changed fields."""

    taker: RemoteCustomer
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()


async def update_register(
    runtime: Runtime,
    taker: RemoteCustomer,
    wishes: Sequence[TakerData],
    cities: Sequence[CityRules],
    *,
    waits: bool,
    person: Person | None,
) -> Update:
    """Update a customer's record from the rows that ask for it. Without a `person`, write nothing.

    The ledger's journal has each write, begun before it is sent. A lost answer is looked up and never repeated while it
    may still arrive. `waits`: an unsent invoice names the customer, whose data must not change before the send.
    """
    differing = disputed(wishes) & UPDATED_SAID
    if differing:
        params = {"fields": ", ".join(sorted(differing))}
        return Update(taker, problems=(Problem("taker.update_differs", "updates_register", params=params),))
    said = settled(wishes)
    wanted = _changes(taker.data, said)
    if wanted and waits:
        return Update(taker, wanted, (Problem("taker.update_waits", "updates_register"),))
    after = merged(changed_data(said, wanted), taker.data)
    unfit = [each for city in cities for each in taker_problems(after, city) if each.field in UPDATED]
    if wanted and unfit:
        return Update(taker, wanted, tuple(dict.fromkeys(unfit)))
    if person is None:
        return Update(taker, wanted)
    return await _write(runtime, taker, said, wanted, person)


async def _write(
    runtime: Runtime, taker: RemoteCustomer, said: TakerData, wanted: tuple[Change, ...], person: Person
) -> Update:
    opened = OpenResource(runtime, _resource(runtime, said))
    # All values of the rows identify the write, not only the changed ones: so it is found again afterwards.
    values = {each.field: each.becomes for each in _changes(TakerData(), said)}
    draft = Draft(changed_data(said, wanted), values)
    fate: Fate = "planned" if wanted else "same"
    plan = Plan(verb="change", path=(str(taker.id),), name="", fate=fate, draft=draft, changes=wanted)
    # A different write whose answer was lost may still arrive: it would undo ours after our look.
    if await runtime.ledger.reading(
        remote_changes.may_another_arrive,
        system=opened.resource.system,
        kind=opened.resource.kind,
        subject=str(taker.id),
        digest=plan.digest_in(opened.resource.kind),
        within_s=runtime.settings.protocol.quiet_for(is_staged=True),
    ):
        return Update(taker, wanted, (Problem("taker.update_unknown", "updates_register"),))
    try:
        done = await carry_out(opened, plan, person)
    except LayoutError:
        return Update(taker, wanted, (Problem("taker.update_unknown", "updates_register"),))
    if done.fate == "refused":
        return Update(taker, wanted, tuple(map(_of_row, done.problems)))
    if not wanted:
        return Update(taker)
    now = await runtime.register(runtime.issuer_of(SERVICE)).customer(taker.id)
    if now is None or now.document != taker.document or _changes(now.data, said):
        return Update(taker, wanted, (Problem("taker.update_unknown", "updates_register"),))
    return Update(now, wanted)


def _of_row(problem: Problem) -> Problem:
    """Return the provider's reason as a problem of a row."""
    reason = ": ".join(str(problem.params[name]) for name in ("name", "reason") if name in problem.params)
    return Problem("taker.update_refused", "updates_register", params={"reason": reason or problem.code})


def _changes(theirs: TakerData, said: TakerData) -> tuple[Change, ...]:
    return tuple(each for each in changes(theirs, said) if each.field in UPDATED)


def _resource(runtime: Runtime, said: TakerData) -> Resource:
    """Describe one customer's record by our field names. Values that the register lacks are empty."""
    issuer = runtime.issuer_of(SERVICE)
    register = runtime.register(issuer)

    async def read(path: Path) -> Record:
        found = await register.customer(int(path[0]))
        theirs = TakerData() if found is None else found.data
        missing = {each.field for each in _changes(theirs, said)}
        whole = {each.field: each.becomes for each in _changes(TakerData(), said)}
        return Record(path, "", {name: "" if name in missing else value for name, value in whole.items()})

    async def send(path: Path, draft: Draft) -> None:
        await register.update_customer(int(path[0]), draft.body)

    write = Write(tuple(sorted(UPDATED)), lambda values: Draft(None, values), send, is_repeatable=True)
    return Resource(kind="taker", system=issuer, parts=("id",), read=read, writes={"change": write})
