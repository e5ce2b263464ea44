"""Station 4 for service sheets: compose an invoice from each resolved row, number it and plan its batch."""

from collections.abc import Sequence
from functools import partial

from connectors.ledger import rows as ledger_rows
from connectors.ledger.drafting import draft_compared
from connectors.ledger.files import reading_of
from connectors.ledger.invoices import NewInvoice
from connectors.ledger.rows import RowRecord
from domain.issuing.service_invoice import ServiceInvoice
from domain.keys import canonical_json, content_digest
from domain.left_rows import count_left
from domain.problems import Problem
from domain.states import RowState
from domain.station_result import Ending, StationResult, Subject
from tasks.issuance.batch_planning import plan_drafts
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime
from tasks.services.compose import ComposedPart, compose_parts
from tasks.services.paging import in_parts


async def assemble_services(runtime: Runtime, reading_id: int) -> StationResult:
    """Draft and plan the invoices of a reading. Safe to repeat: a row with a living invoice is never drafted again."""
    ledger = runtime.ledger
    reading = await ledger.read_async(reading_of, reading_id)
    largest = await ledger.read_async(ledger_rows.largest, reading_id, RowState.RESOLVED, "service_cents")
    parts = partial(in_parts, runtime, reading_id, RowState.RESOLVED)
    drafted, bad, is_done = 0, list[Sequence[Problem]](), False
    while not is_done:
        is_done = True
        async for part in compose_parts(runtime, reading, parts, largest):
            made, left = await _draft(runtime, reading.file_id, part)
            # The rows of an outdated part are still resolved: compare them again.
            is_done = is_done and made is not None
            drafted += made or 0
            bad += left
    planned = await plan_drafts(runtime, reading_id)
    counts = {"drafted": drafted, **count_left(bad).report_counts(), "batches": len(planned)}
    return StationResult("assemble", Subject("reading", reading_id), Ending.DONE, counts)


async def _draft(runtime: Runtime, file_id: int, part: ComposedPart) -> tuple[int | None, list[Sequence[Problem]]]:
    """Draft the invoices of some rows; return the count of drafted rows, and the problems of refused rows.

    None: the comparison with the ledger is outdated, and none was drafted.
    """
    ledger = runtime.ledger
    if part.bad:
        await ledger.write_async(ledger_rows.refuse_rows, part.bad, because="cannot be invoiced")
    news = [
        _new_invoice(part.rows[row_id], invoice, part.replaced.get(row_id)) for row_id, invoice in part.invoices.items()
    ]
    drafted = await ledger.write_async(draft_compared, news, file_id=file_id, newest=part.newest)
    if drafted is None:
        return None, [*part.bad.values()]
    late = {row_id: [place_problem(part.rows[row_id], Problem("row.overtaken"))] for row_id in drafted.refused}
    if late:
        # Another worker drafted an equal invoice after our check: that one lives, and this row is a repeat.
        await ledger.write_async(ledger_rows.refuse_rows, late, because="an equal row was first")
    return len(drafted.ids), [*part.bad.values(), *late.values()]


def _new_invoice(record: RowRecord, invoice: ServiceInvoice, replaces_id: int | None) -> NewInvoice:
    assert record.emitter_id is not None
    assert record.taker_id is not None
    content = canonical_json(invoice.content)
    return NewInvoice(
        row_id=record.id,
        emitter_id=record.emitter_id,
        taker_id=record.taker_id,
        template_id=record.template_id,
        business_key=invoice.business_key,
        competence=invoice.competence,
        emission_at=invoice.emission_at,
        content=content,
        digest=content_digest(content),
        service_cents=invoice.amounts.service_cents,
        liquid_cents=invoice.amounts.liquid_cents,
        amounts=invoice.amounts.to_json(),
        replaces_id=replaces_id,
    )
