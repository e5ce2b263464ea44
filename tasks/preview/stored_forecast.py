"""Forecast what the batches of a stored reading will issue."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from connectors.ledger import batches as ledger_batches
from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import rows as ledger_rows
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.rows import RowRecord
from connectors.spreadsheets.pages import Page
from domain.forecasts.forecast import Forecast, MappedColumn
from domain.forecasts.notes import NumberRange, PlannedNote, Reason, reasons
from domain.issuing import SERVICE
from domain.problems import Problem
from domain.states import LIVING, BatchState, RowState
from domain.taxes import ServiceAmounts
from tasks.approvals.findings import findings_of
from tasks.preview.decisions import differing, file_decisions
from tasks.preview.page import approval_page
from tasks.preview.planned import product_note, service_note
from tasks.runtime import Context
from tasks.stations.read import SAMPLE_ROWS
from tasks.views.history import compare_with_ledger, mapped_columns, master_differences, transliterations
from tasks.views.status import skipped_rows


async def forecast_reading(context: Context, reading_id: int) -> Forecast:
    """Return the forecast of a reading: its living invoices and its refused rows."""
    reading = await context.ledger.reading(ledger_files.reading_of, reading_id)
    file = await context.ledger.reading(ledger_files.file_of_reading, reading_id)
    understood = reading.understood or {}
    rows = await _rows(context, reading_id, RowState.ASSEMBLED)
    invoices = await _living(context, reading_id)
    notes = await _notes(context, invoices, rows)
    differences = await master_differences(context, rows.values())
    own = {invoice.id for invoice in invoices}
    refused = context.ledger.read(ledger_rows.count_rows, reading_id).get(RowState.REFUSED, 0)
    return Forecast(
        file_name=file.name,
        sheet=str(understood.get("sheet", "")),
        kind=file.kind,
        notes=tuple(notes),
        reasons=tuple(reasons_of(context, reading_id)),
        refused_rows=refused,
        skipped_rows=skipped_rows(context, reading_id),
        remarks=tuple(transliterations(file.kind, rows.values())),
        columns=mapped_columns(understood),
        differences=differences,
        months=await compare_with_ledger(context, notes, leaving_out=own),
        ranges=_ranges(invoices, notes),
        decisions=file_decisions(
            understood, _refused(context, reading_id), list(rows.values()), differing(differences)
        ),
    )


async def stored_page(context: Context, reading_id: int) -> Page:
    """Return the page that a person checks before approving a reading's batches, in the operator's language."""
    reading = await context.ledger.reading(ledger_files.reading_of, reading_id)
    batches = await context.ledger.reading(
        ledger_batches.batches_where, states={BatchState.STAGED}, reading_id=reading_id
    )
    findings = await asyncio.to_thread(findings_of, context, batches)
    return approval_page(context.catalogue, await forecast_reading(context, reading_id), reading, findings)


def reasons_of(context: Context, reading_id: int) -> list[Reason]:
    """Return the reasons why rows of a reading stay behind."""
    return reasons(_refused(context, reading_id))


def _refused(context: Context, reading_id: int) -> list[tuple[int, Sequence[Problem]]]:
    most = context.settings.limits.rows
    refused = context.ledger.read(ledger_rows.lines_of, reading_id, RowState.REFUSED, after=0, limit=most)
    return [(row.row_number, row.problems) for row in refused]


def remarks_of(context: Context, reading_id: int) -> list[Problem]:
    """Return the remarks about a reading's file as a whole."""
    understood = context.ledger.read(ledger_files.reading_of, reading_id).understood or {}
    return [Problem.from_json(raw) for raw in understood.get("warnings", ())]


def columns_of(context: Context, reading_id: int) -> tuple[MappedColumn, ...]:
    """Return the field that each column of a reading's sheet was mapped to."""
    return mapped_columns(context.ledger.read(ledger_files.reading_of, reading_id).understood or {})


async def _rows(context: Context, reading_id: int, state: RowState) -> dict[int, RowRecord]:
    """Return the rows by id; as of a file that is not stored, only the first of them have cells."""
    first = await context.ledger.reading(ledger_rows.rows_of, reading_id, state, limit=SAMPLE_ROWS)
    after, most = first[-1].id if first else 0, context.settings.limits.rows
    others = await context.ledger.reading(ledger_rows.lines_of, reading_id, state, after=after, limit=most)
    return {row.id: row for row in (*first, *others)}


async def _living(context: Context, reading_id: int) -> list[InvoiceRecord]:
    found: list[InvoiceRecord] = []
    for batch in await context.ledger.reading(ledger_batches.batches_where, reading_id=reading_id):
        found += await context.ledger.reading(ledger_invoices.invoices_of, batch.id)
    return [invoice for invoice in found if invoice.state in LIVING]


async def _notes(
    context: Context, invoices: Sequence[InvoiceRecord], rows: Mapping[int, RowRecord]
) -> list[PlannedNote]:
    emitters = {each.id: each for each in await context.ledger.reading(ledger_parties.emitters_all)}
    takers = await context.ledger.reading(ledger_parties.takers_by_ids, {each.taker_id or 0 for each in invoices})
    wanted = {each.template_id or 0 for each in invoices}
    templates = await context.ledger.reading(ledger_parties.templates_by_ids, wanted)
    return [
        service_note(
            rows[each.row_id],
            emitters[each.emitter_id],
            takers[each.taker_id or 0],
            templates[each.template_id or 0],
            competence=each.competence,
            amounts=ServiceAmounts.from_json(each.amounts),
        )
        if each.kind == SERVICE
        else product_note(
            rows[each.row_id], emitters[each.emitter_id], competence=each.competence, cents=each.service_cents
        )
        for each in invoices
        if each.row_id in rows
    ]


def _ranges(invoices: Sequence[InvoiceRecord], notes: Sequence[PlannedNote]) -> tuple[NumberRange, ...]:
    names = dict(zip((each.emitter_id for each in invoices), (note.emitter_name for note in notes), strict=False))
    numbers: defaultdict[tuple[str, int, str], list[int]] = defaultdict(list)
    for each in invoices:
        if each.number is not None:
            numbers[each.kind, each.emitter_id, each.serie or ""].append(each.number)
    return tuple(
        NumberRange(kind, names.get(emitter_id, ""), serie, min(found), max(found))
        for (kind, emitter_id, serie), found in sorted(numbers.items())
    )
