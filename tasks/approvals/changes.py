"""Compare a month with the month before, from the ledger."""

from collections.abc import Collection
from datetime import date

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.batches import BatchRecord
from connectors.ledger.observations.months import billed_by, billed_in
from domain.contracts.schedule import is_charged
from domain.forecasts.months import BilledNote, Change, compare_months, month_before
from domain.issuing import SERVICE
from tasks.runtime import Context


def months_to_compare(months: Collection[date]) -> set[date]:
    """Return these months and the two before each."""
    before = {month_before(month) for month in months}
    return {*months, *before, *(month_before(month) for month in before)}


def charged_customers(context: Context, months: Collection[date]) -> set[tuple[str, str, date]]:
    """Return the emitter's CNPJ, the customer's document and the month of each contract's charge."""
    contracts = [each.contract for each in context.ledger.read(ledger_contracts.contracts_all)]
    return {
        (each.emitter_cnpj, each.customer.number, month)
        for each in contracts
        for month in months
        if is_charged(each, month)
    }


def changes_of(context: Context, batch: BatchRecord) -> tuple[list[Change], dict[str, int]]:
    """Return the differences of a batch's month, reading and emitter, and the ids of its customers by document."""
    if batch.kind != SERVICE:
        return [], {}
    month = batch.competence
    own = context.ledger.read(billed_by, batch.reading_id, emitter_id=batch.emitter_id, competence=month)
    others = context.ledger.read(
        billed_in,
        {batch.emitter_id},
        months_to_compare({month}),
        leaving_out=[note.invoice_id for note in own],
    )
    compared = compare_months(
        own,
        others,
        unusual_bp=context.settings.preview.unusual_percent * 100,
        charged=charged_customers(context, {month}),
    )
    return list(compared.changes), _takers([*others, *own])


def _takers(notes: list[BilledNote]) -> dict[str, int]:
    return {note.taker_document: note.taker_id for note in notes if note.taker_document and note.taker_id}
