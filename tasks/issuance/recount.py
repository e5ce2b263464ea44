"""Check finished batches once a day: closed ones of issuers that issue at once, and discarded ones.

Somebody may cancel or add invoices on the provider's website, and no counter shows that. One list has the emitter's
cancelled invoices, if the provider applies the filter [A 2.6]; that is not certain, so read some invoices of the batch
by id as well, different ones each day. Another list has the emitter's newest invoices: one in our serie that is not
ours was added by somebody. An issuer without lists cannot be checked.
"""

from collections.abc import Sequence
from itertools import chain, islice
from typing import Final

from connectors.http.errors import PartlyUnreadable
from connectors.ledger import batch_observations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger.invoices import InvoiceRecord
from domain.competence import BRASILIA
from domain.issuing import EmitterRef, History, RemoteInvoice
from domain.problems import Problem
from domain.states import InvoiceState
from domain.station_result import Ending, StationResult
from tasks.issuance.answers import key_of, place_of
from tasks.issuance.batch_lease import LeasedBatch
from tasks.issuance.follow import observe_each, take_in
from tasks.issuance.listing import list_stably
from tasks.issuance.unreadable import record_unreadable_entries

LOOKS_A_DAY: Final = 50
_ISSUED: Final = frozenset({InvoiceState.ACCEPTED, InvoiceState.CANCELLING})


async def recount_issued(leased: LeasedBatch) -> StationResult:
    """Check a closed batch: store new states, and open incidents for invoices that are not as expected.

    This sends one request for each read invoice (at most `LOOKS_A_DAY`), and usually two for lists.
    """
    ledger, runtime = leased.runtime.ledger, leased.runtime
    counts: dict[str, int] = {}
    remarks: tuple[Problem, ...] = ()
    history = leased.issuer.history
    if leased.issuer.capabilities.can_list and history is not None:
        emitter = await leased.emitter()
        notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states=_ISSUED)
        by_remote_id = {note.remote_id: note for note in notes if note.remote_id is not None}
        cancelled = await _newest(leased, history, emitter, is_cancelled=True)
        ours = [there for there in cancelled if there.id in by_remote_id]
        for there in ours:
            await take_in(leased, emitter, by_remote_id.pop(there.id), there)
        day = runtime.clock().astimezone(BRASILIA).toordinal()
        looked = daily_sample(list(by_remote_id.values()), day)
        remarks = await observe_each(leased, emitter, looked, are_all=len(looked) == len(by_remote_id))
        await _report_strangers(leased, history, emitter)
        left = await ledger.read_async(ledger_invoices.count_by_state, leased.batch.id)
        counts = {str(InvoiceState.CANCELLED): left.get(InvoiceState.CANCELLED, 0)}
    await ledger.write_async(
        batch_observations.store_recount, leased.batch.id, {**(leased.batch.counters or {}), **counts}
    )
    return leased.result(Ending.DONE, *remarks, **counts)


async def recount_discarded(leased: LeasedBatch) -> StationResult:
    """Check a discarded batch: report each invoice of ours that it has again, once for each status.

    A post that the network delayed may arrive after the last look of the discard, and somebody may send the batch.
    """
    ledger = leased.runtime.ledger
    batch = await leased.staging.read(leased.remote_id)
    found = 0
    unread_ids: Sequence[str] = ()
    if batch.counters.total:
        listing = await list_stably(leased.runtime, leased.staging, leased.remote_id, seen=batch, is_partial=True)
        unread_ids = listing.unread_ids
        notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id)
        remote_ids, places = {note.remote_id for note in notes}, {(note.serie, note.number) for note in notes}
        for there in listing.notes:
            if there.id not in remote_ids and (there.serie, there.number) not in places:
                continue  # Somebody else's note, which was there when the batch was discarded.
            found += 1
            params: dict[str, str | int] = {
                "batch": leased.batch.id,
                "number": there.number or 0,
                "status": there.status[:40],
            }
            await leased.open_incident_once(Problem("batch.discarded_note", params=params))
    await ledger.write_async(batch_observations.store_recount, leased.batch.id, batch.counters.to_json())
    return leased.result(Ending.DONE, *await record_unreadable_entries(leased, unread_ids), found=found)


async def _newest(
    leased: LeasedBatch, history: History, emitter: EmitterRef, *, is_cancelled: bool = False
) -> Sequence[RemoteInvoice]:
    """Return the readable invoices of the list; report the entries that nobody can read once."""
    try:
        return await history.newest(emitter, is_cancelled=is_cancelled)
    except PartlyUnreadable as error:
        params: dict[str, str | int] = {"cnpj": emitter.cnpj, "entries": ", ".join(sorted(set(error.unread_ids)))}
        await leased.open_incident_once(Problem("batch.unreadable_list", params=params), is_anywhere=True)
        return error.items


async def _report_strangers(leased: LeasedBatch, history: History, emitter: EmitterRef) -> None:
    """Report once each invoice in our series that is not ours, among the emitter's newest invoices."""
    ledger, emitter_id = leased.runtime.ledger, leased.batch.emitter_id
    notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id)
    for serie in sorted({note.serie for note in notes if note.serie is not None}):
        newest = await _newest(leased, history, emitter)
        shown = {
            there.id: place[1]
            for there in newest
            if (place := place_of(leased.issuer, emitter, there)) and place[0] == serie
        }
        there_by_id = {there.id: there for there in newest}
        for remote_id in await ledger.read_async(ledger_numbers.foreign_ids, emitter_id, serie, shown):
            there = there_by_id[remote_id]
            is_second = await _is_second_arrival(leased, history, emitter, serie, there)
            if is_second and there.state is InvoiceState.REJECTED:
                continue  # The tax authority took the first arrival and refused this one: nothing is issued twice.
            where: dict[str, str | int] = {
                "cnpj": emitter.cnpj,
                "serie": serie,
                "number": shown[remote_id],
                "invoice": remote_id,
            }
            found = Problem("batch.arrived_twice" if is_second else "batch.foreign_invoice", params=where)
            await leased.open_incident_once(found, is_anywhere=True)


async def _is_second_arrival(
    leased: LeasedBatch, history: History, emitter: EmitterRef, serie: str, there: RemoteInvoice
) -> bool:
    """Return whether an invoice that the ledger lacks has our own key: our post arrived twice."""
    if there.own_key is None or there.number is None:
        return False
    ours = await leased.runtime.ledger.read_async(
        ledger_invoices.find_invoices, emitter_id=leased.batch.emitter_id, serie=serie, number=there.number
    )
    return any(history.own_key(key_of(emitter, note)) == there.own_key for note in ours)


def daily_sample(notes: Sequence[InvoiceRecord], day: int) -> list[InvoiceRecord]:
    """Return the `LOOKS_A_DAY` invoices to read on this day (a running number); each comes up in turn."""
    if len(notes) <= LOOKS_A_DAY:
        return list(notes)
    first = day * LOOKS_A_DAY % len(notes)
    return list(islice(chain(notes[first:], notes), LOOKS_A_DAY))
