"""Forecast what the batches of a stored reading will issue."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.parties import EmitterRecord
from connectors.ledger.rows import RowRecord
from connectors.spreadsheets.writers.pages import Page
from domain.forecasts.forecast import Forecast, MappedColumn
from domain.forecasts.planned_invoices import Difference, NumberRange, PlannedNote, Reason, group_by_reason
from domain.issuing import SERVICE
from domain.problems import Problem
from domain.states import LIVING, BatchState, RowState
from domain.taxes import ServiceAmounts
from domain.templates import ServiceTemplate
from tasks.approvals.charged_months import left_customers
from tasks.approvals.findings import findings_of
from tasks.preview.decisions import difference_problems, file_decisions
from tasks.preview.findings_section import findings_section
from tasks.preview.page import approval_page, forecast_page
from tasks.preview.planned import service_note
from tasks.preview.planned_orders import product_note, remarks_about
from tasks.runtime import Context
from tasks.services.paging import in_parts
from tasks.sheets.kinds import kind_of
from tasks.sheets.mapping_choice import sender_of
from tasks.stations.read import SAMPLE_ROWS
from tasks.views.forecast_comparison import compare_with_ledger, mapped_columns, master_differences
from tasks.views.left_rows import left_rows, refused_rows, skipped_rows
from tasks.views.markdown import markdown


@dataclass(slots=True)
class _Planned:
    """The living invoices of a reading: planned notes, ledger ids, and numbers by kind, emitter id and serie."""

    notes: list[PlannedNote] = field(default_factory=list)
    ids: set[int] = field(default_factory=set)
    numbers: defaultdict[tuple[str, int, str], list[int]] = field(default_factory=lambda: defaultdict(list))


async def forecast_reading(context: Context, reading_id: int) -> Forecast:
    """Return the forecast of a reading: its living invoices and its refused rows."""
    reading = await context.ledger.read_async(ledger_files.reading_of, reading_id)
    file = await context.ledger.read_async(ledger_files.file_of_reading, reading_id)
    understood = reading.understood or {}
    emitters = {each.id: each for each in await context.ledger.read_async(ledger_parties.emitters_all)}
    planned = await _read_planned(context, reading_id, emitters)
    differences, orders = await _compare_with_register(context, reading_id, file.kind)
    sheet = str(understood.get("sheet", ""))
    samples = await context.ledger.read_async(ledger_rows.samples_of, file.id, sheet, limit=SAMPLE_ROWS)
    left = left_rows(context, reading_id)
    return Forecast(
        file_name=file.name,
        sheet=sheet,
        kind=file.kind,
        notes=tuple(planned.notes),
        reasons=tuple(group_by_reason(_refused_problems(context, reading_id))),
        held_rows=left.held,
        refused_rows=left.refused,
        skipped_rows=skipped_rows(context, reading_id) + left.repeated,
        remarks=tuple(remarks_about(orders)),
        columns=mapped_columns(understood),
        differences=differences,
        months=await compare_with_ledger(
            context,
            planned.notes,
            left_customers=lambda: left_customers(context, reading_id),
            leaving_out=planned.ids,
        ),
        ranges=_ranges(planned, emitters),
        decisions=file_decisions(
            understood, _refused_problems(context, reading_id), samples, difference_problems(differences)
        ),
        run_competence=reading.options.get("competence"),
        sender=sender_of(understood, reading.options.get("sender")),
    )


async def preview_markdown(context: Context, reading_id: int) -> str:
    """Return a reading's forecast as Markdown for the dashboard, a shared page as in `forecast_page`."""
    seen = await forecast_reading(context, reading_id)
    return markdown(forecast_page(context.catalogue, seen, is_shared=True))


async def stored_page(context: Context, reading_id: int) -> Page:
    """Return the page that a person checks before approving a reading's batches, in the operator's language."""
    reading = await context.ledger.read_async(ledger_files.reading_of, reading_id)
    batches = await context.ledger.read_async(
        ledger_batches.batches_where, states={BatchState.STAGED}, reading_id=reading_id
    )
    findings = await asyncio.to_thread(findings_of, context, batches)
    return approval_page(
        context.catalogue,
        await forecast_reading(context, reading_id),
        reading,
        findings_section(context.catalogue, findings),
    )


def reasons_of(context: Context, reading_id: int) -> list[Reason]:
    """Return the reasons why rows of a reading have no invoice."""
    return group_by_reason(_refused_problems(context, reading_id))


def _refused_problems(context: Context, reading_id: int) -> Iterator[tuple[int, Sequence[Problem]]]:
    return ((row.row_number, row.problems) for row in refused_rows(context, reading_id))


def columns_of(context: Context, reading_id: int) -> tuple[MappedColumn, ...]:
    """Return the field that each column of a reading's sheet was mapped to."""
    return mapped_columns(context.ledger.read(ledger_files.reading_of, reading_id).understood or {})


async def _read_planned(context: Context, reading_id: int, emitters: Mapping[int, EmitterRecord]) -> _Planned:
    """Read the invoices batch by batch, so that memory never holds all of their contents and rows."""
    planned = _Planned()
    for batch in await context.ledger.read_async(ledger_batches.batches_where, reading_id=reading_id):
        invoices = [
            each
            for each in await context.ledger.read_async(ledger_invoices.invoices_of, batch.id)
            if each.state in LIVING
        ]
        found = await context.ledger.read_async(ledger_rows.rows_by_ids, [each.row_id for each in invoices])
        rows = {row.id: row for row in found if row.reading_id == reading_id and row.state is RowState.ASSEMBLED}
        planned.notes += await _notes(context, invoices, rows, emitters)
        for each in invoices:
            planned.ids.add(each.id)
            if each.number is not None:
                planned.numbers[each.kind, each.emitter_id, each.serie or ""].append(each.number)
    return planned


async def _compare_with_register(
    context: Context, reading_id: int, kind: str
) -> tuple[tuple[Difference, ...], Sequence[RowRecord]]:
    """Return how the billed rows differ from the register, each difference once; and the rows, if they are orders'."""
    found: dict[tuple[str, str, str], Difference] = {}
    orders: list[RowRecord] = []
    async for part in in_parts(context, reading_id, RowState.ASSEMBLED):
        if kind_of(kind).has_orders:
            orders += part
        for each in await master_differences(context, part):
            found.setdefault((each.document, each.field, each.sheet_says), each)
    return tuple(found.values()), orders


async def _notes(
    context: Context,
    invoices: Sequence[InvoiceRecord],
    rows: Mapping[int, RowRecord],
    emitters: Mapping[int, EmitterRecord],
) -> list[PlannedNote]:
    takers = await context.ledger.read_async(ledger_parties.takers_by_ids, {each.taker_id or 0 for each in invoices})
    wanted = {each.template_id or 0 for each in invoices}
    known = await context.ledger.read_async(ledger_parties.templates_by_ids, wanted)
    replaced_ids = [each.replaces_id for each in invoices if each.replaces_id is not None]
    old = {each.id: each for each in await context.ledger.read_async(ledger_invoices.invoices_by_ids, replaced_ids)}
    templates = {template_id: ServiceTemplate.from_json(record.body) for template_id, record in known.items()}
    return [
        service_note(
            rows[each.row_id],
            emitters[each.emitter_id],
            takers[each.taker_id or 0],
            templates[each.template_id or 0],
            competence=each.competence,
            amounts=ServiceAmounts.from_json(each.amounts),
            replaced=old.get(each.replaces_id or 0),
        )
        if each.kind == SERVICE
        else product_note(
            rows[each.row_id], emitters[each.emitter_id], competence=each.competence, cents=each.service_cents
        )
        for each in invoices
        if each.row_id in rows
    ]


def _ranges(planned: _Planned, emitters: Mapping[int, EmitterRecord]) -> tuple[NumberRange, ...]:
    return tuple(
        NumberRange(kind, emitters[emitter_id].name, serie, min(found), max(found))
        for (kind, emitter_id, serie), found in sorted(planned.numbers.items())
    )
