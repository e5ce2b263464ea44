"""Hold rows whose template has the name of another template, which billed under it before and has a new name now."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from connectors.ledger.observations.last_templates import other_templates
from connectors.ledger.parties import EmitterRecord
from domain.corrections.answers import TEMPLATE_SWAPPED
from domain.issuing import RemoteTemplate
from domain.problems import Problem
from tasks.runtime import Runtime
from tasks.services.takers import Row

PlacedTemplates: TypeAlias = dict[int, tuple[EmitterRecord, int]]
"""The emitter and the ledger's template id of rows, by row id."""


async def hold_swapped(
    runtime: Runtime,
    rows: Sequence[Row],
    placed: PlacedTemplates,
    list_templates: Callable[[EmitterRecord], Awaitable[Sequence[RemoteTemplate]]],
) -> list[Problem]:
    """Hold each such row until a person releases it; return a remark for each released row.

    A template that somebody deleted and created again is not held. After the first invoice of the new template nobody
    is asked again.
    """
    others = await runtime.ledger.read_async(other_templates, {template_id for _, template_id in placed.values()})
    remarks: list[Problem] = []
    for row in rows if others else ():
        if row.record.id not in placed or placed[row.record.id][1] not in others:
            continue
        emitter, template_id = placed[row.record.id]
        now = next((each.name for each in await list_templates(emitter) if each.id == others[template_id]), None)
        if now is None:
            continue
        params: dict[str, str | int] = {"template": row.line.template_name or "", "now": now}
        if row.line.is_answered(TEMPLATE_SWAPPED):
            remarks.append(row.at(Problem("template.swapped_released", "template", params=params)))
        else:
            row.problems.append(Problem(TEMPLATE_SWAPPED, "template", params=params))
    return remarks
