"""Plan changes of records at a provider: read each record and show the difference. Write nothing."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from connectors.http.errors import NotFound
from connectors.ledger.observations.ownership import is_our_batch, is_our_invoice, is_our_number
from connectors.ledger.observations.unsent import unsent_emitters, unsent_takers
from domain.problems import InputError, Problem
from domain.resources import Draft, Path, Record, Values, Verb, bears_key, changes_of, has_values, losses_of
from domain.taker_changes import Change
from tasks.records.kinds import OpenResource
from tasks.records.record_fields import no_write

RecordStatus = Literal["planned", "same", "done", "refused", "doubtful"]
"""`same`: the provider shows the wanted values already. `doubtful`: sent, with an unknown outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPlan:
    """One requested write: its record, the fields that change, and its outcome."""

    verb: Verb
    path: Path
    name: str
    status: RecordStatus
    draft: Draft = field(repr=False)
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    row: int | None = None
    place: Path | None = None
    """Where a record was to be created, if it exists already; `path` is then its path."""

    @property
    def address(self) -> Path:
        """Return the path that the command named: for `create`, where the record was to be created."""
        return self.path if self.place is None else self.place

    def digest_in(self, kind: str) -> str:
        """Return the digest that identifies this write of a record of `kind`: verb, address and values."""
        asked = json.dumps([kind, self.verb, self.address, sorted(self.draft.values.items())], ensure_ascii=False)
        return hashlib.sha256(asked.encode()).hexdigest()


async def list_records(opened: OpenResource, place: Path, filters: Values) -> Sequence[Record]:
    """Return the records below the path `place`. Raises `InputError` for a kind without a list, or a wrong path."""
    resource = opened.resource
    if resource.all is None:
        raise InputError(Problem("record.no_list", params={"kind": resource.kind}))
    also = _ALSO_OF_ALL.get(resource.kind)
    needed = len(resource.place) if also is None or not also <= filters.keys() else 0
    if not needed <= len(place) <= len(resource.place) or not all(place):
        _refuse_path(opened, resource.place)
    unknown = [name for name in filters if name not in resource.filters]
    if unknown:
        if not resource.filters:
            raise InputError(Problem("record.no_filters", params={"kind": resource.kind}))
        params = {"name": unknown[0][:40], "names": ", ".join(resource.filters)}
        raise InputError(Problem("record.no_filter", params=params))
    return await resource.all(place, filters)


_ALSO_OF_ALL: Final[Mapping[str, frozenset[str]]] = {
    "constant": frozenset(),
    "order": frozenset({"global_account"}),
    "serie": frozenset(),
}
"""Kinds that can be listed without a path, and the filters that such a list needs."""


async def read_record(opened: OpenResource, path: Path) -> Record:
    """Return one record. Raises `InputError` for a kind that cannot be read, a wrong path or an unknown record."""
    resource = opened.resource
    if resource.read is None:
        raise InputError(Problem("record.no_read", params={"kind": resource.kind}))
    if len(path) != len(resource.parts) or not all(path):
        _refuse_path(opened, resource.parts)
    try:
        return await resource.read(path)
    except NotFound:
        params = {"kind": resource.kind, "path": " ".join(path)}
        raise InputError(Problem("record.unknown", params=params)) from None


async def plan_write(
    opened: OpenResource, verb: Verb, path: Path, given: Values, *, row: int | None = None
) -> RecordPlan:
    """Return the plan of one write. Raises `InputError` for an impossible write."""
    resource = opened.resource
    write = resource.writes.get(verb)
    if write is None:
        raise InputError(no_write(resource))
    names = resource.place if verb == "create" else resource.parts
    if len(path) != len(names) or not all(path):
        _refuse_path(opened, names)
    draft = write.check(given)
    await _refuse_ours(opened, path, draft.values)
    plan = RecordPlan(verb=verb, path=path, name="", status="planned", draft=draft, row=row)
    if verb == "create":
        return await _plan_new(opened, plan)
    found = await _current(opened, path)
    if found is None:
        raise InputError(Problem("record.unknown", params={"kind": resource.kind, "path": " ".join(path)}))
    # Secrets and unseen fields appear on no invoice: a certificate may be renewed while batches wait for it.
    if verb != "change" or draft.values.keys() - resource.secrets - resource.unseen:
        await _refuse_awaited(opened, found)
    if resource.protects is not None and (problem := await resource.protects(verb, found, draft.values)) is not None:
        raise InputError(problem)
    return _plan_known(opened, plan, found)


async def find_existing(opened: OpenResource, place: Path, draft: Draft) -> list[Record]:
    """Return existing records with the key of the record to create; none for a kind without a list."""
    resource = opened.resource
    if resource.all is None or not resource.key:
        return []
    asked = {name: draft.values[name] for name in resource.filters if any(name in key for key in resource.key)
             and name in draft.values}  # fmt: skip
    return [each for each in await resource.all(place, asked) if bears_key(resource, each, draft.values)]


async def _plan_new(opened: OpenResource, plan: RecordPlan) -> RecordPlan:
    resource, draft = opened.resource, plan.draft
    living = [each for each in await find_existing(opened, plan.path, draft) if not resource.is_gone(each)]
    if living:
        exists = Problem("record.exists", params={"path": " ".join(living[0].path)})
        return replace(
            plan, path=living[0].path, place=plan.path, name=living[0].name, status="same", problems=(exists,)
        )
    return replace(plan, changes=changes_of(resource, {}, draft.values))


def _plan_known(opened: OpenResource, plan: RecordPlan, found: Record) -> RecordPlan:
    resource, plan = opened.resource, replace(plan, name=found.name)
    if plan.verb == "remove":
        return replace(plan, status="same") if resource.is_gone(found) else plan
    changes = changes_of(resource, found.values, plan.draft.values)
    if plan.verb == "replace":
        fields = [name for name in resource.writes["replace"].fields if name not in resource.secrets]
        changes += losses_of(found.values, plan.draft.values, fields)
    return replace(plan, changes=changes, status="planned" if changes else "same")


async def _current(opened: OpenResource, path: Path) -> Record | None:
    """Return the provider's record at a path, None if there is none, or an empty record if the kind has no read."""
    if opened.resource.read is None:
        return Record(path, "", {})
    try:
        return await opened.resource.read(path)
    except NotFound:
        return None


async def resolve_doubt(opened: OpenResource, plan: RecordPlan) -> RecordPlan:
    """Ask the provider whether a write without an answer was done. Return the plan with its new status.

    The status is `done` (with the path of a created record), `planned` if the write was not done, or `doubtful` if the
    provider cannot show it.
    """
    resource = opened.resource
    done, absent, unknown = (replace(plan, status=status) for status in _AFTER_A_LOOK)
    if plan.verb == "create":
        if resource.all is None or not resource.key:
            return unknown
        living = [each for each in await find_existing(opened, plan.address, plan.draft) if not resource.is_gone(each)]
        return replace(done, path=living[0].path, name=living[0].name) if living else absent
    if resource.read is None:
        return unknown
    found = await _current(opened, plan.path)
    if plan.verb == "remove":
        return done if found is None or resource.is_gone(found) else absent
    hidden = resource.secrets | resource.unseen
    if found is None or not plan.draft.values.keys() - hidden:
        return unknown
    return done if has_values(resource, found.values, plan.draft.values) else absent


_AFTER_A_LOOK: Final[tuple[RecordStatus, ...]] = ("done", "planned", "doubtful")


async def _refuse_awaited(opened: OpenResource, found: Record) -> None:
    """Raise `InputError` for a change of a customer or emitter of unsent invoices."""
    numbers = [number for name in ("cnpj", "cpf") if (number := found.values.get(name))]
    asked = {"taker": unsent_takers, "emitter": unsent_emitters}
    if opened.resource.kind not in asked:
        return
    if await opened.context.ledger.read_async(asked[opened.resource.kind], numbers):
        raise InputError(Problem("record.awaited"))


async def _refuse_ours(opened: OpenResource, path: Path, values: Values) -> None:
    """Raise `InputError` for an invoice, batch or number that the ledger has: only the stations change those."""
    ours, reading = opened.resource.ours, opened.context.ledger.read_async
    if ours == "number":
        numbers = [int(values[name]) for name in ("numero", "numero_inicial", "numero_final") if name in values]
        is_ours = await reading(is_our_number, values["serie"], min(numbers), max(numbers))
    elif ours is None or not path[-1].isdecimal():
        return
    else:
        is_ours = await reading(is_our_invoice if ours == "invoice" else is_our_batch, int(path[-1]))
    if is_ours:
        raise InputError(Problem(f"record.our_{ours}"))


def refused_plan(verb: Verb, path: Path, row: int, problems: tuple[Problem, ...]) -> RecordPlan:
    """Return the plan of a row that cannot be carried out."""
    return RecordPlan(
        verb=verb, path=path, name="", status="refused", draft=Draft(None, {}), problems=problems, row=row
    )


def _refuse_path(opened: OpenResource, names: Sequence[str]) -> None:
    kind = opened.resource.kind
    if not names:
        raise InputError(Problem("record.no_path", params={"kind": kind}))
    parts = " ".join(name.upper() for name in names)
    raise InputError(Problem("record.path", params={"kind": kind, "parts": parts}))
