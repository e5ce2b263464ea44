"""Explain why an invoice was taken back before it was issued, such as a person's no to its batch."""

from collections.abc import Mapping, Sequence
from typing import Final

from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.transitions import events_of
from domain.problems import Problem
from domain.states import LIVING, BatchState, Entity, InvoiceState
from tasks.runtime import Context
from tasks.views.journal import say_reason

_WITHDRAWN: Final = frozenset({InvoiceState.DELETED, InvoiceState.RETIRED})
_CODES: Final = {BatchState.DISCARDING: "withdrawn.going_on", BatchState.DISCARDED: "withdrawn.batch"}


def withdrawal_reasons(
    context: Context, invoices: Sequence[InvoiceRecord], batches: Mapping[int, BatchRecord]
) -> dict[int, Problem]:
    """Return why these invoices were or are being taken back, by invoice id, for those of which it is true."""
    by_batch, alone = _split(invoices, batches)
    why = _last_reasons(context, Entity.BATCH, {each.id for each in by_batch.values()}, BatchState.DISCARDING)
    found = {
        invoice_id: Problem(_CODES[batch.state], params={"batch": batch.id, "reason": why.get(batch.id, "-")})
        for invoice_id, batch in by_batch.items()
    }
    reasons = _last_reasons(context, Entity.INVOICE, set(alone), *_WITHDRAWN)
    return found | {each: Problem("withdrawn.invoice", params={"reason": reasons.get(each, "-")}) for each in alone}


def _split(
    invoices: Sequence[InvoiceRecord], batches: Mapping[int, BatchRecord]
) -> tuple[dict[int, BatchRecord], list[int]]:
    """Return the batch of each invoice whose whole batch is taken back, and the other withdrawn invoices."""
    by_batch: dict[int, BatchRecord] = {}
    alone: list[int] = []
    for each in invoices:
        batch = None if each.batch_id is None else batches[each.batch_id]
        is_gone = each.state in _WITHDRAWN
        is_going = each.state in LIVING and batch is not None and batch.state is BatchState.DISCARDING
        if batch is not None and (is_going or (is_gone and batch.state in _CODES)):
            by_batch[each.id] = batch
        elif is_gone:
            alone.append(each.id)
    return by_batch, alone


def _last_reasons(
    context: Context, entity: Entity, ids: set[int], *states: BatchState | InvoiceState
) -> dict[int, str]:
    """Return the reason of the last move of each into one of these states, in the operator's language."""
    events = context.ledger.read(events_of, entity, sorted(ids)) if ids else []
    return {
        each.entity_id: say_reason(context.catalogue, each.because)
        for each in events
        if each.becomes in {str(state) for state in states}
    }
