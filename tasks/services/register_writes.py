"""Write the customer data of rows into the issuer's register.

The ledger's journal records each write before it is sent. After a lost answer, read the record, and do not repeat the
write while the request may still arrive.
"""

from collections.abc import Sequence
from typing import Final

from connectors.ledger import remote_changes
from domain.issuing import SERVICE, RemoteCustomer
from domain.parties import TakerData
from domain.problems import InputError, Problem
from domain.resources import Draft, Path, Record, Resource, Write
from domain.taker_changes import changes
from tasks.records.carry_out import Requester, carry_out
from tasks.records.kinds import OpenResource
from tasks.records.plans import RecordPlan, RecordStatus
from tasks.runtime import Runtime
from tasks.services.register_updates import INCOMPLETE, RegisterChange, Update, allowed_changes

_COMPLETE: Final = "is_complete"


async def write_register(runtime: Runtime, person: Requester, taker: RemoteCustomer, change: RegisterChange) -> Update:
    """Write the record once, for this person. Return the customer as the register has it afterwards."""
    opened = OpenResource(runtime, _resource(runtime, change.shown))
    # All requested values identify the write, not only the changed ones, so that a later run recognises it as done.
    values = _values(change.shown) | ({} if taker.is_complete else {_COMPLETE: "true"})
    status: RecordStatus = "planned" if change.wanted or not taker.is_complete else "same"
    draft = Draft(change.body, values)
    plan = RecordPlan(verb="change", path=(str(taker.id),), name="", status=status, draft=draft, changes=change.wanted)
    # A different write whose answer was lost may still arrive: it could overwrite ours after we checked the record.
    if await runtime.ledger.read_async(
        remote_changes.may_another_arrive,
        system=opened.resource.system,
        kind=opened.resource.kind,
        subject=str(taker.id),
        digest=plan.digest_in(opened.resource.kind),
        within_s=runtime.settings.protocol.quiet_for(is_staged=True),
    ):
        return Update(taker, change.wanted, (change.unknown,))
    try:
        done = await carry_out(opened, plan, person)
    except InputError:
        return Update(taker, change.wanted, (change.unknown,))
    if done.status == "refused":
        return Update(taker, change.wanted, _refusal_problems(done.problems, change))
    if status == "same":
        return Update(taker)
    now = await runtime.register(runtime.issuer_of(SERVICE)).customer(taker.id)
    if now is None or now.document != taker.document or allowed_changes(now.data, change.requested):
        return Update(taker, change.wanted, (change.unknown,))
    if not now.is_complete:
        return Update(taker, change.wanted, (change.unknown if done.status == "doubtful" else INCOMPLETE,))
    return Update(now, change.wanted)


def _refusal_problems(problems: Sequence[Problem], change: RegisterChange) -> tuple[Problem, ...]:
    """Return the provider's reasons as problems of the rows."""
    if change.is_asked:
        return tuple(map(_of_row, problems))
    return (INCOMPLETE, *map(_of_field, problems))


def _of_field(problem: Problem) -> Problem:
    """Return the provider's reason as a problem of the field that it names."""
    if problem.code != "record.bad_field":
        return problem
    name, reason = str(problem.params["name"]), problem.params["reason"]
    return Problem("provider.refused_field", name, params={"field": name, "message": reason})


def _of_row(problem: Problem) -> Problem:
    """Return the provider's reason as a problem of a row."""
    reason = ": ".join(str(problem.params[name]) for name in ("name", "reason") if name in problem.params)
    return Problem("taker.update_refused", "updates_register", params={"reason": reason or problem.code})


def _values(data: TakerData) -> dict[str, str]:
    return {each.field: each.becomes for each in changes(TakerData(), data)}


def _resource(runtime: Runtime, shown: TakerData) -> Resource:
    """Describe one customer's record by our field names. A field of `shown` whose value the register lacks is empty."""
    issuer = runtime.issuer_of(SERVICE)
    register = runtime.register(issuer)

    async def read(path: Path) -> Record:
        found = await register.customer(int(path[0]))
        theirs = TakerData() if found is None else found.data
        missing = {each.field for each in changes(theirs, shown)}
        values = {name: "" if name in missing else value for name, value in _values(shown).items()}
        is_complete = found is not None and found.is_complete
        return Record(path, "", values | {_COMPLETE: "true" if is_complete else "false"})

    async def send(path: Path, draft: Draft) -> None:
        await register.update_customer(int(path[0]), draft.body)

    write = Write(tuple(sorted(_values(shown))), lambda values: Draft(None, values), send, is_repeatable=True)
    return Resource(kind="taker", system=issuer, parts=("id",), read=read, writes={"change": write})
