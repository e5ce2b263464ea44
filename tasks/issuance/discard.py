"""Take back a staged, unsent batch: delete our own invoices one by one, never cancel the issuer's batch."""

from collections.abc import Sequence
from typing import Final

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import leases, withdrawals
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.observations.doubts import unresolved_of
from domain.problems import Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.batch_lease import Disturbance, LeasedBatch, work_on
from tasks.issuance.batch_planning import plan_drafts_if_possible
from tasks.issuance.deletion import delete_note
from tasks.issuance.doubts import doubts_of, settle_doubts
from tasks.issuance.listing import list_stably
from tasks.runtime import Runtime

_BECAUSE: Final = "discarded"


async def discard_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Discard a batch. Safe to repeat: an invoice that the issuer no longer has counts as deleted."""
    return await work_on(runtime, batch_id, station="discard", states=(BatchState.DISCARDING,), work=_discard)


async def _discard(leased: LeasedBatch) -> StationResult:
    if await doubts_of(leased):
        quiet_s = await settle_doubts(leased)
        if quiet_s is not None:
            return await leased.wait(quiet_s, Problem("batch.doubts", params={"batch": leased.batch.id}))
    ledger = leased.runtime.ledger
    if await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.UNRESOLVED}):
        # The invoice may exist at the provider, and nobody would delete it there any more.
        raise Disturbance(await ledger.read_async(unresolved_of, leased.batch.id))
    unsent = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.RESERVED})
    await ledger.write_async(
        leases.move_under,
        leased.lease,
        [note.id for note in unsent],
        was=InvoiceState.RESERVED,
        becomes=InvoiceState.RETIRED,
        because=_BECAUSE,
    )
    deleted = await delete_notes(leased, because=_BECAUSE)
    await _prove_gone(leased)
    drafts = await ledger.write_async(withdrawals.close_discarded, leased.lease)
    if drafts:
        await plan_drafts_if_possible(leased.runtime, leased.batch.reading_id)
    return leased.result(deleted=len(deleted), retired=len(unsent))


async def _prove_gone(leased: LeasedBatch) -> None:
    """List the batch once more and delete our remaining invoices.

    Somebody could send the batch on the provider's website and issue them. Raises `Disturbance` if one of them stays.
    """
    if leased.batch.remote_id is None:
        return
    notes = await leased.runtime.ledger.read_async(ledger_invoices.invoices_of, leased.batch.id)
    by_remote_id = {note.remote_id: note for note in notes if note.remote_id is not None}
    for is_last in (False, True):
        await leased.renew()
        listing = await list_stably(leased.runtime, leased.staging, leased.remote_id)
        # An issued note that the ledger does not have as deleted is left to `close_discarded`, which refuses it.
        left = [
            ours
            for note in listing.notes
            if (ours := by_remote_id.get(note.id)) is not None
            and (note.state is InvoiceState.CREATED or ours.state is InvoiceState.DELETED)
        ]
        if not left:
            return
        if is_last:
            raise Disturbance(Problem("batch.note_stays", params={"number": left[0].number or 0, "count": len(left)}))
        for note in left:
            assert note.remote_id is not None
            await delete_note(leased, note.remote_id, invoice_id=note.id)


async def delete_notes(leased: LeasedBatch, *, because: str) -> Sequence[InvoiceRecord]:
    """Delete the batch's created notes at the provider; they become `deleted`, their numbers retired."""
    ledger = leased.runtime.ledger
    notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.CREATED})
    for note in notes:
        assert note.remote_id is not None
        await delete_note(leased, note.remote_id, invoice_id=note.id)
        await ledger.write_async(
            leases.move_under,
            leased.lease,
            [note.id],
            was=InvoiceState.CREATED,
            becomes=InvoiceState.DELETED,
            because=because,
        )
    return notes
