"""Store waiting hints: at most one read and one write for all deliveries since the last call."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final

from connectors.ledger import hints
from connectors.ledger.hints import HintedInvoice
from tasks.runtime import Context
from tasks.views.due_work import due_batches
from tasks.webhooks.address import ReceiverAddress
from tasks.webhooks.hint_queue import HintQueue

_AT_ONCE: Final = 2_000


async def store_hints(context: Context, receiver: ReceiverAddress, waiting: HintQueue) -> Counter[str]:
    """Store waiting hints, or else bring forward the looks at hinted batches. Return the stored counts of deliveries.

    Raises `LedgerUnavailable`; on any error the hints go back into the queue.
    """
    taken, counts = waiting.pop_oldest(_AT_ONCE), Counter(waiting.counts)
    waiting.counts.clear()
    try:
        found: Sequence[HintedInvoice] = ()
        if taken:
            found = await context.ledger.read_async(
                hints.hinted_invoices, taken, issuers=receiver.issuers, limits=receiver.limits
            )
        new = [each for each in found if not each.is_fresh]
        totals = counts + Counter(new=len(new), unknown=len(taken) - len(found), repeated=len(found) - len(new))
        if totals:
            await context.ledger.write_async(hints.store, new, totals, receiver.limits)
        elif looks := await context.ledger.read_async(hints.early_looks, receiver.limits):
            await context.ledger.write_async(hints.bring_forward, looks)
    except BaseException:
        waiting.put_back(taken, counts)
        raise
    return totals


async def due_hinted(context: Context) -> list[int]:
    """Return the due batches that have a hint, at the station `reconcile`."""
    hinted = await context.ledger.read_async(hints.hinted_batches)
    return await asyncio.to_thread(due_batches, context, "reconcile", among=hinted) if hinted else []
