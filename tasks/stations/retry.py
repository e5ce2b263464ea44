"""Send invoices again, automatically and within limits, if a city rejected them for a reason that is not their content.

Each becomes a new draft with a new number, and its batch waits for an approval like every other.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from configs.rejections import may_go_again
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.retries import rejected_lately
from domain.station_result import StationResult, Subject
from tasks.issuance.batch_planning import plan_drafts_if_possible
from tasks.runtime import Context, Runtime
from tasks.views.due_work import waiting_restorations


def retriable(context: Context) -> Mapping[int, Sequence[int]]:
    """Return the rejected invoices that may be sent again, by reading.

    There are none if the profile wants no retries, or while a restored ledger waits for its comparison.
    """
    settings = context.settings.retry
    if not settings.tries or waiting_restorations(context):
        return {}
    found = context.ledger.read(
        rejected_lately, after_s=settings.after_s, within_s=settings.within_s, tries=settings.tries
    )
    readings: defaultdict[int, list[int]] = defaultdict(list)
    for each in found:
        if may_go_again(each.errors):
            readings[each.reading_id].append(each.invoice_id)
    return readings


async def retry_reading(runtime: Runtime, reading_id: int) -> StationResult:
    """Draft a reading's rejected invoices again and plan their batches. Safe to repeat: a charge has one draft."""
    ids = retriable(runtime).get(reading_id, ())
    because = "the city asks for another try"
    drafts = await runtime.ledger.write_async(ledger_invoices.redraft, ids, because=because) if ids else []
    if drafts:
        await plan_drafts_if_possible(runtime, reading_id)
    return StationResult("retry", Subject("reading", reading_id), counts={"drafted": len(drafts)})
