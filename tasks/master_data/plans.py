"""Plan what a sheet of master data would change in each record, and write templates and emitters to the provider."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from configs.layouts import read_layout
from configs.reference.cities import load_cities
from connectors.http.errors import Doubtful, NotFound, Refused
from connectors.spreadsheets.formats.sheet_metadata import column_letter
from connectors.spreadsheets.formats.sheets import Workbook
from connectors.spreadsheets.headers.layouts import Layout, find_header
from connectors.spreadsheets.holds.column_warnings import hidden_columns, unused_columns
from connectors.spreadsheets.master.rows import MasterReader, MasterRow, read_master
from connectors.spreadsheets.readings import about_file
from connectors.spreadsheets.workbook import Limits, open_workbook
from domain.forecasts.forecast import MappedColumn
from domain.issuing import EmitterRef, MasterRecord, RecordKind, Register
from domain.master_fields import Field, Value, differing_fields, field_changes
from domain.problems import Problem
from domain.taker_changes import Change
from tasks.issuance.refusals import refusals
from tasks.runtime import Context
from tasks.runtime.file_bytes import read_bytes
from tasks.runtime.task_group import run_together

MasterStatus = Literal["new", "changed", "same", "waits", "refused"]
"""Status of a plan. `waits`: an unsent invoice uses the record, so its data must not change now."""


@dataclass(frozen=True, slots=True)
class MasterPlan:
    """One record of the sheet: its rows, and its planned or final outcome.

    `who` is the record's name for people. `remote_id` is the provider's id of a known record. `key` (emitter and name)
    is that of a template.
    """

    rows: tuple[int, ...]
    status: MasterStatus
    who: str
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict, repr=False)
    key: tuple[EmitterRef, str] | None = field(default=None, repr=False)
    remote_id: int | None = None


@dataclass(frozen=True, slots=True)
class MasterWriter:
    """The calls that write records of one kind.

    `find_written` finds the records with a plan's key after the answer to `create` was lost. `create` is None if
    records of this kind must not be created.
    """

    kind: RecordKind
    fields: Mapping[str, Field]
    register: Register
    create: Callable[[MasterPlan], Awaitable[MasterRecord]] | None = None
    find_written: Callable[[MasterPlan], Awaitable[Sequence[MasterRecord]]] | None = None


def count_statuses(plans: Sequence[MasterPlan]) -> Counter[MasterStatus]:
    return Counter(plan.status for plan in plans)


def read_rows(
    context: Context, path: Path, kind: str, reader: type[MasterReader], *, sheet: str | None
) -> list[MasterRow]:
    """Return the rows of a workbook of master data. Raises `InputError` for an unreadable file."""
    workbook, layout = open_master(context, path, kind)
    return read_master(workbook, layout, reader, cities=load_cities(), sheet=sheet)


def open_master(context: Context, path: Path, kind: str) -> tuple[Workbook, Layout]:
    """Open a workbook of master data within this profile's limits; return it with its layout."""
    limits = Limits(file_bytes=context.settings.limits.file_bytes, rows=context.settings.limits.rows)
    content = read_bytes(path, limit=context.settings.limits.file_bytes)
    return open_workbook(content, limits, name=path.name), Layout.from_data(read_layout(kind))


@dataclass(frozen=True, slots=True)
class SheetColumns:
    """The meaning of a sheet's columns, and remarks to read before anything is written."""

    columns: tuple[MappedColumn, ...]
    remarks: tuple[Problem, ...]


def read_columns(context: Context, path: Path, kind: str, *, sheet: str | None = None) -> SheetColumns:
    """Return the field of each column of a sheet, with remarks. `kind` is the name of a layout.

    Raises `InputError` for an unreadable file.
    """
    workbook, layout = open_master(context, path, kind)
    header = find_header(workbook, layout, sheet=sheet)
    fields = {index: name for name, index in header.columns.items()}
    columns = (
        MappedColumn(column_letter(index), header.texts[index], fields.get(index))
        for index in sorted(fields.keys() | header.unused.keys())
    )
    remarks = (*about_file(workbook, layout, header), *hidden_columns(header), *unused_columns(header, layout))
    return SheetColumns(tuple(columns), remarks)


def group_by_key(rows: Sequence[MasterRow]) -> dict[tuple[str, ...], list[MasterRow]]:
    """Return the rows without problems, by the key that finds their record."""
    groups: defaultdict[tuple[str, ...], list[MasterRow]] = defaultdict(list)
    for row in rows:
        if not row.problems:
            groups[row.key].append(row)
    return groups


def add_refused_rows(plans: Sequence[MasterPlan], rows: Sequence[MasterRow]) -> list[MasterPlan]:
    """Return the plans, and a refused plan for each row that cannot be read, in the sheet's order."""
    # The last part of a key is the name by which people know the record.
    bad = [MasterPlan((row.number,), "refused", row.key[-1], problems=row.problems) for row in rows if row.problems]
    return sorted([*plans, *bad], key=lambda plan: plan.rows)


def merge_rows(group: Sequence[MasterRow], who: str) -> MasterPlan:
    """Return the merged plan of one record's rows; refuse rows that contradict each other."""
    values: dict[str, Value] = {}
    differing: set[str] = set()
    for row in group:
        differing |= differing_fields(values, row.written)
        values |= row.written
    plan = MasterPlan(tuple(row.number for row in group), "new", who, values=values)
    if not differing:
        return plan
    return refuse_plan(plan, Problem("import.conflict", params={"fields": ", ".join(sorted(differing))}))


def refuse_plan(plan: MasterPlan, *problems: Problem) -> MasterPlan:
    return replace(plan, status="refused", problems=problems)


def compare_plan(plan: MasterPlan, fields: Mapping[str, Field], found: MasterRecord) -> MasterPlan:
    """Return the plan with its changes to a record that exists at the provider: `changed` or `same`."""
    wanted = field_changes(fields, found.values, plan.values)
    return replace(plan, status="changed" if wanted else "same", changes=wanted, remote_id=found.id)


async def apply_plans(plans: Sequence[MasterPlan], target: MasterWriter) -> list[MasterPlan]:
    """Create and change records as planned. Safe to repeat: a record that is there already is planned as `same`.

    Return the plans. A plan is refused, with the reason, if the provider refuses, does not confirm or does not change
    the record. If the provider changed it in part, the plan stays `changed`: its problem names the unchanged fields.
    """
    return await run_together(_apply(plan, target) for plan in plans)


async def _apply(plan: MasterPlan, target: MasterWriter) -> MasterPlan:
    if plan.status not in ("new", "changed"):
        return plan
    try:
        record = await _write(plan, target)
    except NotFound as error:
        return refuse_plan(plan, error.problem)
    except Refused as error:
        return refuse_plan(plan, *refusals(error))
    except Doubtful:
        found = await _read_after_doubt(plan, target)
        if found is None:
            return refuse_plan(plan, Problem("import.unconfirmed"))
        return _as_written(plan, target, found, Problem("import.unconfirmed"))
    return _as_written(plan, target, record)


def _as_written(
    plan: MasterPlan, target: MasterWriter, record: MasterRecord, otherwise: Problem | None = None
) -> MasterPlan:
    """Return the plan with what the provider shows now; `otherwise` is the reason if nothing was written."""
    unwritten = [change.field for change in field_changes(target.fields, record.values, plan.values)]
    if not unwritten:
        return plan
    kept_back = Problem("import.not_kept", params={"fields": ", ".join(unwritten)})
    written = tuple(change for change in plan.changes if change.field not in unwritten)
    if plan.remote_id is None or written:
        return replace(plan, changes=written, problems=(kept_back,))
    return refuse_plan(plan, otherwise or kept_back)


async def _write(plan: MasterPlan, target: MasterWriter) -> MasterRecord:
    if plan.remote_id is None:
        assert target.create is not None
        return await target.create(plan)
    changed = {change.field: plan.values[change.field] for change in plan.changes}
    return await target.register.update_record(target.kind, plan.remote_id, changed)


async def _read_after_doubt(plan: MasterPlan, target: MasterWriter) -> MasterRecord | None:
    """Read a record whose write got no answer; None if it is not found. Never repeat the write."""
    if plan.remote_id is not None:
        try:
            return await target.register.read_record(target.kind, plan.remote_id)
        except NotFound:
            return None
    found = await target.find_written(plan) if target.find_written else ()
    return found[0] if len(found) == 1 else None
