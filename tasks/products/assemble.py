"""Station 4 for product sheets: the lines of an order become one drafted invoice, numbered and planned."""

from collections.abc import Sequence

from connectors.ledger import rows as ledger_rows
from connectors.ledger.drafting import draft_compared, newest_entries
from connectors.ledger.files import ReadingRecord, reading_of
from connectors.ledger.invoices import Drafted, NewInvoice
from connectors.ledger.rows import RowRecord
from domain.keys import canonical_json
from domain.left_rows import count_left
from domain.problems import Problem
from domain.products.invoices import ProductInvoice
from domain.states import RowState
from domain.station_result import Ending, StationResult, Subject
from tasks.issuance.batch_planning import plan_drafts
from tasks.issuance.repeats import digest_of
from tasks.products.compose import compose_orders, group_orders, problems_for_all_rows
from tasks.runtime import Runtime


async def assemble_products(runtime: Runtime, reading_id: int) -> StationResult:
    """Draft, number and plan the invoices of a reading's orders.

    Safe to repeat: an order with a living invoice is never drafted again.
    """
    reading = await runtime.ledger.read_async(reading_of, reading_id)
    left = list[Sequence[Problem]]()
    drafted: Drafted | None = None
    while drafted is None:
        drafted = await _draft(runtime, reading, left)
    planned = await plan_drafts(runtime, reading_id)
    counts = {"drafted": len(drafted.ids), **count_left(left).report_counts(), "batches": len(planned)}
    return StationResult("assemble", Subject("reading", reading_id), Ending.DONE, counts)


async def _draft(runtime: Runtime, reading: ReadingRecord, left: list[Sequence[Problem]]) -> Drafted | None:
    """Draft the invoices of a reading's resolved rows, and add the problems of refused rows to `left`.

    None: the comparison with the ledger is outdated, and none was drafted.
    """
    ledger = runtime.ledger
    newest = await ledger.read_async(newest_entries)
    records = await ledger.read_async(
        ledger_rows.rows_of, reading.id, RowState.RESOLVED, limit=runtime.settings.limits.rows
    )
    groups = group_orders(records)
    composed, bad = await compose_orders(runtime, reading, groups)
    await ledger.write_async(ledger_rows.refuse_rows, bad, because="cannot be invoiced")
    left += bad.values()
    news = [_new_invoice(groups[leader], invoice) for leader, invoice in composed.items()]
    drafted = await ledger.write_async(draft_compared, news, file_id=reading.file_id, newest=newest)
    late: dict[int, Sequence[Problem]] = {}
    for leader in () if drafted is None else drafted.refused:
        late |= problems_for_all_rows(groups[leader], [Problem("row.overtaken")])
    await ledger.write_async(ledger_rows.refuse_rows, late, because="an equal order was first")
    left += late.values()
    return drafted


def _new_invoice(group: Sequence[RowRecord], invoice: ProductInvoice) -> NewInvoice:
    leader, *others = group
    assert leader.emitter_id is not None
    return NewInvoice(
        row_id=leader.id,
        other_row_ids=[row.id for row in others],
        emitter_id=leader.emitter_id,
        taker_id=None,
        template_id=None,
        business_key=invoice.business_key,
        competence=invoice.competence,
        emission_at=None,
        content=canonical_json(invoice.content),
        digest=digest_of(invoice),
        service_cents=invoice.amounts.total_cents,
        liquid_cents=invoice.amounts.total_cents,
        amounts=invoice.amounts.to_json(),
    )
