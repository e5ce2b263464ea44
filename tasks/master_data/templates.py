"""Plan what a sheet of templates would create and change at the provider, and apply the plan once a person agrees.

A change need not wait for unsent invoices: each contains the rates, codes and amounts with which it was composed, and
no reference to a template. The station assemble checks that the provider's own calculation agrees with ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from connectors.spreadsheets.master.rows import MasterRow
from connectors.spreadsheets.master.templates import TemplateReader
from domain.cities import CityRules, city_of
from domain.documents import Document
from domain.issuing import SERVICE, MasterRecord, RemoteEmitter
from domain.master_fields import TEMPLATE, Value, field_problems
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
from tasks.runtime.task_group import run_together


async def plan_templates(runtime: Runtime, path: Path, *, sheet: str | None = None) -> list[MasterPlan]:
    """Return what the sheet's rows would create or change among the provider's templates; write nothing.

    Raises `InputError` for an unreadable file.
    """
    rows = read_rows(runtime, path, "templates", TemplateReader, sheet=sheet)
    groups = group_by_key(rows)
    register = runtime.register(runtime.issuer_of(SERVICE))
    emitters = {each.cnpj: each for each in await runtime.issuer(runtime.issuer_of(SERVICE)).emitters()}
    named = [emitters[cnpj] for cnpj in sorted({cnpj for cnpj, _ in groups}) if cnpj in emitters]
    lists = await run_together(register.records("template", each.ref) for each in named)
    known = {emitter.cnpj: found for emitter, found in zip(named, lists, strict=True)}
    listed = await fetch_listed_codes(runtime, (row.written for row in rows))
    plans = [
        check_codes(_plan(group, key, emitters.get(key[0]), known.get(key[0], [])), listed, _city(emitters, key[0]))
        for key, group in groups.items()
    ]
    return add_refused_rows(plans, rows)


def _city(emitters: Mapping[str, RemoteEmitter], cnpj: str) -> CityRules | None:
    emitter = emitters.get(cnpj)
    return None if emitter is None else city_of(emitter.city_code)


async def apply_templates(runtime: Runtime, plans: Sequence[MasterPlan]) -> list[MasterPlan]:
    """Create and change templates as planned. Return the plans; those that failed are refused, with the reason."""
    register = runtime.register(runtime.issuer_of(SERVICE))

    async def find_templates(plan: MasterPlan) -> list[MasterRecord]:
        assert plan.key is not None
        emitter, name = plan.key
        return [each for each in await register.records("template", emitter) if each.name == name]

    async def create(plan: MasterPlan) -> MasterRecord:
        assert plan.key is not None
        return await register.create_template(*plan.key, plan.values)

    return await apply_plans(plans, MasterWriter("template", TEMPLATE, register, create, find_templates))


def _plan(
    group: Sequence[MasterRow], key: tuple[str, ...], emitter: RemoteEmitter | None, known: Sequence[MasterRecord]
) -> MasterPlan:
    cnpj, name = key
    plan = merge_rows(group, f"{name} · {Document('cnpj', cnpj).formatted}")
    if plan.status == "refused":
        return plan
    if emitter is None:
        return refuse_plan(plan, Problem("emitter.unknown", "emitter_cnpj", params={"cnpj": cnpj}))
    values, problems = _in_shape(plan.values, emitter)
    if problems := [*problems, *field_problems(TEMPLATE, values)]:
        return refuse_plan(plan, *problems)
    plan = replace(plan, values=values, key=(emitter.ref, name))
    found = [each for each in known if each.name == name]
    if len(found) > 1:
        return refuse_plan(plan, Problem("template.twice", "template_name", params={"template": name}))
    if found:
        return compare_plan(plan, TEMPLATE, found[0])
    similar = next((each.name for each in known if folded(each.name) == folded(name)), None)
    if similar is not None:
        return refuse_plan(plan, Problem("template.similar", "template_name", params={"template": similar}))
    return plan


def _in_shape(values: Mapping[str, Value], emitter: RemoteEmitter) -> tuple[dict[str, Value], list[Problem]]:
    """Return the values with codes in the form of the emitter's city, and the problems of codes without that form."""
    shaped, problems = dict(values), []
    city = city_of(emitter.city_code)
    if city is not None:
        for name, shape in (("service_item_code", city.item_code_of), ("city_tax_code", city.tax_code_of)):
            if name in values:
                found = shape(str(values[name]))
                if isinstance(found, Problem):
                    problems.append(found)
                    del shaped[name]
                else:
                    shaped[name] = found
    return shaped, problems
