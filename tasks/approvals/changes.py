"""Compare a month with the month before, from the ledger."""

from collections.abc import Sequence

from connectors.ledger.batches import BatchRecord
from connectors.ledger.observations.months import billed_by, billed_in
from domain.forecasts.month_comparison import BilledNote, Change, compare_months
from domain.issuing import SERVICE
from tasks.approvals.charged_months import charged_customers, left_customers, months_to_compare
from tasks.runtime import Context


def changes_of(context: Context, batches: Sequence[BatchRecord]) -> tuple[list[Change], dict[str, int]]:
    """Return the differences from earlier months, and the ledger ids of customers by document.

    The batches are of one reading, emitter and month, all of whose invoices are compared. Leave out the differences of
    customers who are in other batches of these alone. Return nothing unless the batches bill services.
    """
    batch = batches[0]
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
        left_customers=lambda: left_customers(context, batch.reading_id),
    )
    ids = {each.id for each in batches}
    here = {note.taker_document for note in own if note.batch_id in ids}
    elsewhere = {note.taker_document for note in own} - here
    changes = [each for each in compared.changes if each.taker_document not in elsewhere]
    return changes, _takers([*others, *own])


def _takers(notes: list[BilledNote]) -> dict[str, int]:
    return {note.taker_document: note.taker_id for note in notes if note.taker_document and note.taker_id}
