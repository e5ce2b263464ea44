"""Station 8: read a sent batch until it is processed, and compare the result with the ledger."""

import asyncio
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from connectors.http.errors import Unreadable
from connectors.ledger import batch_observations, leases, withdrawals
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.observations.notes import observe_notes
from domain.issuing import BatchProgress, RemoteBatch, RemoteInvoice
from domain.problems import Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import Ending, StationResult
from tasks.issuance.answers import ISSUED_TO_OTHER, customer_problem, has_our_values, is_same_content
from tasks.issuance.batch_lease import LeasedBatch, work_on
from tasks.issuance.batch_planning import plan_drafts_if_possible
from tasks.issuance.discard import delete_notes
from tasks.issuance.doubts import settle_doubts
from tasks.issuance.follow import follow_batch, report_emitter, view_of
from tasks.issuance.listing import Unstable, list_stably
from tasks.issuance.recount import recount_discarded, recount_issued
from tasks.issuance.shown_batch import ShownBatch, read_shown
from tasks.runtime import Runtime

_CLOSED: Final = (BatchState.PROCESSED, BatchState.DISCARDED)
_UNFINISHED: Final = (BatchState.SCHEDULED, BatchState.PROCESSING)
_ENDED: Final = frozenset(
    {InvoiceState.ACCEPTED, InvoiceState.REJECTED, InvoiceState.CANCELLING, InvoiceState.CANCELLED}
)
_SETTLED: Final = _ENDED | {InvoiceState.DELETED}
_LEFT_BEHIND: Final = frozenset({InvoiceState.RESERVED, InvoiceState.DELETED})
_BEGUN: Final = frozenset({BatchProgress.PROCESSING, BatchProgress.PROCESSED})
_JITTER: Final = 0.1
_DAY: Final = timedelta(days=1)


async def reconcile_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Read a sent batch once. If all of it is processed, list its invoices and compare each with the ledger."""
    return await work_on(runtime, batch_id, station="reconcile", states=_UNFINISHED, work=_observe_batch)


async def recheck_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Check a closed batch again: invoices may have been cancelled on the issuer's website."""
    return await work_on(runtime, batch_id, station="recount", states=_CLOSED, work=_recount)


async def _observe_batch(leased: LeasedBatch) -> StationResult:
    states = await _states(leased)
    if InvoiceState.IN_DOUBT in states or not leased.batch.is_staged:
        quiet_s = await settle_doubts(leased)
        if quiet_s is not None:
            return await leased.wait(quiet_s)
        states = await _states(leased)
    if _LEFT_BEHIND & states.keys():
        await _split_off(leased)
    if not leased.batch.is_staged:
        return await follow_batch(leased)
    batch = await leased.staging.read(leased.remote_id)
    counters = batch.counters
    await _check_sum(leased, batch)
    is_processed = batch.progress is BatchProgress.PROCESSED and counters.scheduled == counters.processing == 0
    if is_processed or counters.created == counters.scheduled == counters.processing == 0:
        return await _close(leased, batch)
    if batch.counters.rejected > states.get(InvoiceState.REJECTED, 0):
        # The sooner finance knows of a rejection, the sooner it can correct the row.
        await _observe_pages(leased, is_rejected=True)
    return await _look_again(leased, batch, accepted=counters.accepted, rejected=counters.rejected)


async def _states(leased: LeasedBatch) -> Mapping[InvoiceState, int]:
    """Return the number of the batch's invoices in each state, as the ledger has them."""
    return await leased.runtime.ledger.read_async(ledger_invoices.count_by_state, leased.batch.id)


async def _split_off(leased: LeasedBatch) -> None:
    """Move the invoices that were not in the batch when somebody else sent it to a separate batch."""
    ledger = leased.runtime.ledger
    if not await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states=_LEFT_BEHIND):
        return
    drafts = await ledger.write_async(withdrawals.split_off, leased.lease)
    await leased.renew()
    if drafts:
        await plan_drafts_if_possible(leased.runtime, leased.batch.reading_id)


async def _check_sum(leased: LeasedBatch, batch: RemoteBatch) -> None:
    """Open an incident if the issuer's total differs from the approved count: an invoice joined or left the batch.

    The counters may lag, so read them again before opening the incident.
    """
    if batch.counters.total == leased.batch.count:
        return
    await asyncio.sleep(leased.runtime.settings.protocol.settle_s)
    found = (await leased.staging.read(leased.remote_id)).counters.total
    if found != leased.batch.count:
        params: dict[str, str | int] = {"expected": leased.batch.count, "found": found}
        await leased.open_incident(Problem("batch.counters_differ", params=params))


async def _look_again(leased: LeasedBatch, batch: RemoteBatch, *remarks: Problem, **counts: int) -> StationResult:
    pause = leased.runtime.settings.reconcile.wait_s(leased.batch.looks) * random.uniform(1, 1 + _JITTER)  # noqa: S311
    becomes = BatchState.PROCESSING if batch.progress in _BEGUN else None
    await leased.end_look(becomes=becomes, counters=batch.counters.to_json(), look_s=pause)
    return leased.result(Ending.WAITING, *remarks, **counts)


async def _observe_pages(leased: LeasedBatch, *, is_rejected: bool = False) -> None:
    """Store the states that a list shows of ours: of all, or of the rejected ones. It need not be whole or stable."""
    ours = await _notes_by_remote_id(leased)
    # The last listing reports the entries that are not as documented.
    with suppress(Unreadable):
        async for page in leased.staging.invoices(leased.remote_id, is_rejected=is_rejected):
            # The list's filter is unreliable: check each state.
            await _observe(leased, ours, {note.id: note for note in page.invoices})


async def _notes_by_remote_id(leased: LeasedBatch) -> Mapping[int, InvoiceRecord]:
    notes = await leased.runtime.ledger.read_async(ledger_invoices.invoices_of, leased.batch.id)
    return {note.remote_id: note for note in notes if note.remote_id is not None}


async def _observe(
    leased: LeasedBatch, ours: Mapping[int, InvoiceRecord], listed: Mapping[int, RemoteInvoice]
) -> Counter[InvoiceState]:
    """Store the known states of our invoices. Return how many have each."""
    seen = [view_of(ours[each], note) for each, note in listed.items() if each in ours and note.state is not None]
    await leased.runtime.ledger.write_async(observe_notes, leased.batch.id, seen)
    return Counter(view.state for view in seen)


async def _close(leased: LeasedBatch, batch: RemoteBatch) -> StationResult:
    """List the processed batch, store the final states, and report each difference from the ledger.

    The batch is read again later if some invoice is not in its final state yet, or shows none.
    """
    await leased.renew()
    try:
        listing = await list_stably(leased.runtime, leased.staging, leased.remote_id, seen=batch, is_partial=True)
    except (Unstable, Unreadable):
        # Such a list proves no absence, but what it shows is true.
        await _observe_pages(leased)
        raise
    ours = await _notes_by_remote_id(leased)
    shown = await read_shown(leased, ours, listing)
    await _give_up_gone(leased, [ours[each] for each in shown.absent])
    states = await _observe(leased, ours, shown.notes)
    await _report_differences(leased, ours, shown)
    open_ids = [each for each in shown.unknown if ours[each].state not in _SETTLED]
    if listing.batch.progress is BatchProgress.PROCESSED and states[InvoiceState.CREATED] and not open_ids:
        # These notes joined after somebody else's send, and nobody will issue them any more.
        await delete_notes(leased, because="its batch was processed without it")
        return await _look_again(leased, listing.batch, *shown.remarks)
    counts = {state.value: states[state] for state in (InvoiceState.ACCEPTED, InvoiceState.REJECTED)}
    if open_ids or not states.keys() <= _ENDED:
        return await _look_again(leased, listing.batch, *shown.remarks, **counts)
    await report_emitter(leased)
    await leased.end_look(becomes=BatchState.PROCESSED, counters=listing.batch.counters.to_json())
    return leased.result(Ending.DONE, *shown.remarks, **counts)


async def _give_up_gone(leased: LeasedBatch, vanished: Sequence[InvoiceRecord]) -> None:
    """Mark vanished unsent invoices as deleted: somebody deleted them, so their rows may be billed again."""
    gone = [note.id for note in vanished if note.state is InvoiceState.CREATED]
    if gone:
        states = {"was": InvoiceState.CREATED, "becomes": InvoiceState.DELETED}
        await leased.runtime.ledger.write_async(
            leases.move_under, leased.lease, gone, **states, because="somebody deleted it"
        )
        await _split_off(leased)


async def _report_differences(leased: LeasedBatch, ours: Mapping[int, InvoiceRecord], shown: ShownBatch) -> None:
    for problem in _differences(ours, shown):
        await leased.open_incident(problem)


def _differences(ours: Mapping[int, InvoiceRecord], shown: ShownBatch) -> list[Problem]:
    """Return a problem for each invoice that somebody added, removed or changed after `prove` compared the batch."""
    problems = [
        Problem("batch.note_vanished", params={"number": invoice.number or 0})
        for note_id, invoice in ours.items()
        if note_id in shown.absent and invoice.state is not InvoiceState.DELETED
    ]
    for note_id, note in shown.notes.items():
        invoice = ours.get(note_id)
        if invoice is None:
            problems.append(Problem("batch.foreign_note", params={"note": note_id, "number": note.number or 0}))
        elif (other := customer_problem(invoice, note, ISSUED_TO_OTHER)) is not None:
            problems.append(other)
        elif (note.serie, note.number) != (invoice.serie, invoice.number) or not (
            is_same_content(invoice, note) and has_our_values(invoice, note)
        ):
            problems.append(Problem("batch.note_differs", params={"number": invoice.number or 0}))
    return problems


async def _recount(leased: LeasedBatch) -> StationResult:
    if leased.batch.state is BatchState.DISCARDED:
        return await recount_discarded(leased)
    if not leased.batch.is_staged:
        return await recount_issued(leased)
    counters = (await leased.staging.read(leased.remote_id)).counters.to_json()
    if counters != leased.batch.counters or await _is_listed_today(leased):
        await _compare_again(leased)
    await leased.runtime.ledger.write_async(batch_observations.store_recount, leased.batch.id, counters)
    return leased.result(cancelled=counters["cancelled"])


async def _is_listed_today(leased: LeasedBatch) -> bool:
    """Return whether to list a batch with unchanged counters: a day after its end, then every `relist_days`.

    Counters show neither an edit nor a swap. If a check is missed on the due day, the next one makes up for it.
    """
    closed_at, last_at = leased.batch.closed_at, leased.batch.recounted_at
    every = timedelta(days=leased.runtime.settings.protocol.relist_days)
    if closed_at is None or last_at is None or not every:
        return False
    first_at, now = closed_at + _DAY, await leased.runtime.ledger.read_async(ledger_now)
    return (last_at - first_at) // every < (now - first_at) // every


async def _compare_again(leased: LeasedBatch) -> None:
    """List a closed batch, and open an incident for each change, once."""
    listing = await list_stably(leased.runtime, leased.staging, leased.remote_id, is_partial=True)
    ours = await _notes_by_remote_id(leased)
    shown = await read_shown(leased, ours, listing)
    await _observe(leased, ours, shown.notes)
    for problem in _differences(ours, shown):
        await leased.open_incident_once(problem)
