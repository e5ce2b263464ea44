"""Complete customers' records in the register, and write the changes that rows ask for, before the invoices.

A record gets one write, even if it is incomplete and rows change it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from connectors.ledger import remote_changes
from domain.cities import CityRules
from domain.issuing import SERVICE, RemoteCustomer
from domain.parties import TakerData, conflicts, disputed, merged, settled, taker_problems
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

_ADDRESS_SAID: Final = UPDATED_SAID - {"emails", "phone"}
_FILLABLE: Final = tuple(each.name for each in fields(TakerData) if each.name != "document")

_COMPLETE: Final = "is_complete"
_INCOMPLETE: Final = Problem("taker.incomplete", "name")


@dataclass(frozen=True, slots=True)
class Update:
    """The customer as the register has it now, or the problem that holds its rows, and the written fields.

    `changes` are fields that rows ask to change, `filled` those that an incomplete record lacked.
    """

    taker: RemoteCustomer
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    filled: tuple[Change, ...] = ()


async def update_register(
    runtime: Runtime,
    taker: RemoteCustomer,
    requested: Sequence[TakerData],
    data: TakerData,
    cities: Sequence[CityRules],
    *,
    waits: bool,
    person: Person | None,
) -> Update:
    """Complete a customer's record from its rows, and change what `requested` asks. Without a `person`, write nothing.

    An incomplete record also gets the fields of `data`, all rows together, that it lacks: that overwrites nothing.
    `requested` is the data of the rows that ask to update the register. `waits`: an unsent invoice names the customer,
    whose data must not change before the send.

    The ledger's journal has each write, begun before it is sent. A lost answer is looked up and never repeated while it
    may still arrive.
    """
    differing = disputed(requested) & UPDATED_SAID
    if differing:
        params = {"fields": ", ".join(sorted(differing))}
        return Update(taker, problems=(Problem("taker.update_differs", "updates_register", params=params),))
    said = settled(requested) if requested else TakerData()
    wanted = _changes(taker.data, said)
    if wanted and waits:
        return Update(taker, wanted, (Problem("taker.update_waits", "updates_register"),))
    lacking = TakerData() if taker.is_complete else _lacking(taker.data, said, data)
    after = merged(merged(changed_data(said, wanted), lacking), taker.data)
    found = [each for city in cities for each in taker_problems(after, city)]
    unfit = [each for n, each in enumerate(found) if each not in found[:n]]
    if not taker.is_complete and unfit:
        return Update(taker, wanted, (_INCOMPLETE, *unfit))
    if wanted and (unfit := [each for each in unfit if each.field in UPDATED]):
        return Update(taker, wanted, tuple(unfit))
    filled = _filled(lacking, wanted)
    if person is None:
        return Update(taker, wanted, filled=filled)
    written = await _write(runtime, taker, _Aim(said, lacking, wanted, is_asked=bool(requested)), person)
    return written if written.problems else replace(written, filled=filled)


@dataclass(frozen=True, slots=True)
class _Aim:
    """The goal of a write: the fields that rows update, of which some change, and those that the record lacks.

    `is_asked`: rows ask for it by their mark.
    """

    said: TakerData
    lacking: TakerData
    wanted: tuple[Change, ...]
    is_asked: bool

    @property
    def body(self) -> TakerData:
        """Return the fields to send."""
        return merged(changed_data(self.said, self.wanted), self.lacking)

    @property
    def shown(self) -> TakerData:
        """Return the fields that the record shows afterwards, those included that it shows already."""
        return merged(changed_data(self.said, _changes(TakerData(), self.said)), self.lacking)

    @property
    def unknown(self) -> Problem:
        """Return why the rows wait while nobody knows whether the write was done."""
        return Problem("taker.update_unknown", "updates_register" if self.is_asked else "name")


async def _write(runtime: Runtime, taker: RemoteCustomer, aim: _Aim, person: Person) -> Update:
    opened = OpenResource(runtime, _resource(runtime, aim.shown))
    # All values of the rows identify the write, not only the changed ones: so it is found again afterwards.
    values = _values(aim.shown) | ({} if taker.is_complete else {_COMPLETE: "true"})
    fate: Fate = "planned" if aim.wanted or not taker.is_complete else "same"
    draft = Draft(aim.body, values)
    plan = Plan(verb="change", path=(str(taker.id),), name="", fate=fate, draft=draft, changes=aim.wanted)
    # A different write whose answer was lost may still arrive: it would undo ours after our look.
    if await runtime.ledger.reading(
        remote_changes.may_another_arrive,
        system=opened.resource.system,
        kind=opened.resource.kind,
        subject=str(taker.id),
        digest=plan.digest_in(opened.resource.kind),
        within_s=runtime.settings.protocol.quiet_for(is_staged=True),
    ):
        return Update(taker, aim.wanted, (aim.unknown,))
    try:
        done = await carry_out(opened, plan, person)
    except LayoutError:
        return Update(taker, aim.wanted, (aim.unknown,))
    if done.fate == "refused":
        return Update(taker, aim.wanted, _refused(done.problems, aim))
    if fate == "same":
        return Update(taker)
    now = await runtime.register(runtime.issuer_of(SERVICE)).customer(taker.id)
    if now is None or now.document != taker.document or _changes(now.data, aim.said):
        return Update(taker, aim.wanted, (aim.unknown,))
    if not now.is_complete:
        return Update(taker, aim.wanted, (aim.unknown if done.fate == "doubtful" else _INCOMPLETE,))
    return Update(now, aim.wanted)


def _refused(problems: Sequence[Problem], aim: _Aim) -> tuple[Problem, ...]:
    """Return the provider's reasons as problems of the rows."""
    if aim.is_asked:
        return tuple(map(_of_row, problems))
    return (_INCOMPLETE, *map(_of_field, problems))


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


def _changes(theirs: TakerData, said: TakerData) -> tuple[Change, ...]:
    return tuple(each for each in changes(theirs, said) if each.field in UPDATED)


def _lacking(theirs: TakerData, said: TakerData, data: TakerData) -> TakerData:
    """Return what a record lacks and the rows have; from two addresses that of the rows that update the register."""
    if _ADDRESS_SAID.intersection(conflicts(said, data)):
        data = TakerData(**{name: getattr(data, name) for name in _FILLABLE if name not in _ADDRESS_SAID})
    ours = merged(said, data)
    return TakerData(**{name: getattr(ours, name) for name in _FILLABLE if not getattr(theirs, name)})


def _filled(lacking: TakerData, wanted: Sequence[Change]) -> tuple[Change, ...]:
    """Return what the record gets although no row asks for a change of it."""
    asked = {each.field for each in wanted}
    return tuple(each for each in changes(TakerData(), lacking) if each.field not in asked)


def _values(data: TakerData) -> dict[str, str]:
    return {each.field: each.becomes for each in changes(TakerData(), data)}


def _resource(runtime: Runtime, shown: TakerData) -> Resource:
    """Describe one customer's record by our field names. Values that the register lacks are empty."""
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
