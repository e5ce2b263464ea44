"""Collect what a preview finds out about the rows of a file."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from connectors.ledger import parties as ledger_parties
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowRecord
from domain.decisions import Decisions
from domain.forecasts.planned_invoices import Difference, PlannedNote
from domain.problems import Problem
from domain.states import RowState
from domain.templates import ServiceTemplate
from tasks.runtime import Runtime


@dataclass(slots=True)
class PreviewedRows:
    """What a preview finds out about the rows of a file.

    `refused` are the numbers of refused rows with their problems; `file_remarks` are remarks about the whole file.
    `remarks` and `rates` collect decisions about rows, of which a row may have several. Of the registered customers,
    billing looks up `lookups` again and updates `writes`. `template_lists` are the lengths of the lists of templates
    that billing looks up again.
    """

    notes: list[PlannedNote] = field(default_factory=list)
    refused: list[tuple[int, Sequence[Problem]]] = field(default_factory=list)
    remarks: Decisions = field(default_factory=Decisions)
    rates: Decisions = field(default_factory=Decisions)
    file_remarks: Sequence[Problem] = ()
    differences: Sequence[Difference] = ()
    updates: Sequence[Difference] = ()
    lookups: int = 0
    writes: int = 0
    template_lists: Sequence[int] = ()


def readable_rows(rows: Sequence[RowRecord]) -> list[RowRecord]:
    """Return the rows that could be read."""
    return [row for row in rows if row.state is RowState.READ]


async def read_emitters_and_templates(
    runtime: Runtime, wanted: Collection[int] = ()
) -> tuple[dict[int, EmitterRecord], dict[int, ServiceTemplate]]:
    """Return from the ledger all emitters, and the wanted templates, by id."""
    emitters = await runtime.ledger.read_async(ledger_parties.emitters_all)
    templates = await runtime.ledger.read_async(ledger_parties.templates_by_ids, wanted)
    return (
        {emitter.id: emitter for emitter in emitters},
        {template_id: ServiceTemplate.from_json(record.body) for template_id, record in templates.items()},
    )
