"""Service templates from a sheet: what it would create and change at the provider, and doing it when told to.

No template waits for invoices that are not sent yet: these carry every rate, code and amount themselves, composed when
they were assembled, and never name a template. Before that, the provider's own calculation must agree with ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from configs.reference.cities import load_cities
from connectors.nfse.emitters import Emitter
from connectors.nfse.service_values import Template
from connectors.spreadsheets.master.rows import MasterRow
from connectors.spreadsheets.master.templates import read_templates
from domain.cities import city_of
from domain.documents import Document
from domain.master.fields import TEMPLATE, Value, field_problems
from domain.problems import Problem
from domain.texts import folded
from tasks.master.plans import (
    Plan,
    Shelf,
    apply_plans,
    compared,
    grouped,
    open_master,
    plan_of,
    refused,
    with_bad_rows,
)
from tasks.pacing.together import together
from tasks.runtime import Runtime


async def plan_templates(runtime: Runtime, path: Path, *, sheet: str | None = None) -> list[Plan]:
    """What the sheet would do; nothing is written. Raises `LayoutError` for a file that cannot be understood."""
    workbook, layout = open_master(runtime, path, "templates")
    rows = read_templates(workbook, layout, cities=load_cities(), sheet=sheet)
    groups = grouped(rows)
    emitters = {each.cnpj: each for each in await runtime.nfse.emitters.all()}
    named = [emitters[cnpj] for cnpj in sorted({cnpj for cnpj, _ in groups}) if cnpj in emitters]
    lists = await together(runtime.nfse.service_values.all(emitter_id=each.id) for each in named)
    # a list's filter may be ignored [A 1.14]
    known = {
        emitter.cnpj: [each for each in found if each.emitter_id == emitter.id]
        for emitter, found in zip(named, lists, strict=True)
    }
    plans = [_plan(group, key, emitters.get(key[0]), known.get(key[0], [])) for key, group in groups.items()]
    return with_bad_rows(plans, rows)


async def apply_templates(runtime: Runtime, plans: Sequence[Plan]) -> list[Plan]:
    """Create and change what was planned; what was not done comes back refused with the reason."""
    calls = runtime.nfse.service_values

    async def look(plan: Plan) -> list[Mapping[str, Any]]:
        return [each.body for each in await calls.find(plan.fixed["emitter_id"], plan.fixed["name"])]

    return await apply_plans(plans, Shelf(TEMPLATE, calls, look))


def _plan(group: Sequence[MasterRow], key: tuple[str, ...], emitter: Emitter | None, known: Sequence[Template]) -> Plan:
    cnpj, name = key
    plan = plan_of(group, f"{name} · {Document('cnpj', cnpj).formatted}")
    if plan.fate == "refused":
        return plan
    if emitter is None:
        return refused(plan, Problem("emitter.unknown", "emitter_cnpj", params={"cnpj": cnpj}))
    said, problems = _in_shape(plan.said, emitter)
    if problems := [*problems, *field_problems(TEMPLATE, said)]:
        return refused(plan, *problems)
    plan = replace(plan, said=said, fixed={"emitter_id": emitter.id, "name": name})
    found = [each for each in known if each.name == name]
    if len(found) > 1:
        return refused(plan, Problem("template.twice", "template_name", params={"template": name}))
    if found:
        return compared(plan, TEMPLATE, found[0].body)
    similar = next((each.name for each in known if folded(each.name) == folded(name)), None)
    if similar is not None:
        return refused(plan, Problem("template.similar", "template_name", params={"template": similar}))
    return plan


def _in_shape(said: Mapping[str, Value], emitter: Emitter) -> tuple[dict[str, Value], list[Problem]]:
    """The codes as the emitter's city writes them, which is how invoices will use them."""
    shaped, problems = dict(said), []
    city = city_of(emitter.city_code or "")
    if city is not None:
        for name, shape in (("service_item_code", city.item_code_of), ("city_tax_code", city.tax_code_of)):
            if name in said:
                found = shape(str(said[name]))
                if isinstance(found, Problem):
                    problems.append(found)
                    del shaped[name]
                else:
                    shaped[name] = found
    return shaped, problems
