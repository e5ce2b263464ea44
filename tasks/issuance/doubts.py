"""Settle doubts by a look at the issuer: find a post whose answer was lost, or prove its absence before a repeat."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from connectors.http.errors import NotFound, Unreadable
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import parties as ledger_parties
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.observations.doubts import (
    FoundNote,
    adopt_notes,
    record_unresolved,
    settle_absent,
    settle_unknowable,
)
from connectors.ledger.observations.patience import quiet_end
from domain.issuing import EmitterRef, Lookup, RemoteInvoice
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.issuance.answers import (
    customer_problem,
    digest_of_answer,
    has_our_amounts,
    has_our_values,
    is_ours,
    is_same_content,
    key_of,
    state_of,
)
from tasks.issuance.batch_lease import Disturbance, LeasedBatch
from tasks.issuance.listing import Listing, list_stably


async def settle_doubts(leased: LeasedBatch) -> float | None:
    """Look for every invoice in doubt. Return None if all are settled, else the seconds until the rest can be.

    The issuer's capabilities decide how: list its batch, ask for each invoice by our key, or leave the doubt to a
    person where nothing can be asked. Raises `Disturbance`.
    """
    lookup = leased.issuer.capabilities.lookup
    if lookup is Lookup.BATCH:
        return await _settle_by_listing(leased)
    quiet_s = None
    if lookup is Lookup.KEY:
        quiet_s = await _settle_by_key(leased)
    else:
        await _give_up(leased)
    await leased.runtime.ledger.write_async(record_unresolved, leased.batch.id)
    return quiet_s


async def _give_up(leased: LeasedBatch) -> None:
    """Leave every doubt to a person, because the issuer offers no look-up."""
    doubted = [note.id for note in await doubts_of(leased)]
    if doubted:
        because = "nothing can be looked up"
        await leased.runtime.ledger.write_async(settle_unknowable, leased.lease, doubted, because=because)


async def _settle_by_key(leased: LeasedBatch) -> float | None:
    doubts = await doubts_of(leased)
    for _ in range(2):
        if not doubts:
            return None
        emitter = await leased.emitter()
        for note in doubts:
            await _look_up(leased, emitter, note)
        doubts = await doubts_of(leased)
        if doubts and (quiet_s := await _quiet_left(leased, doubts)) > 0:
            return quiet_s
    return 0.0 if doubts else None


async def _look_up(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord) -> None:
    """Look one invoice up and write the result at once, so that it stays even if the lease then ends."""
    await leased.keep()
    ledger = leased.runtime.ledger
    listed_at = await ledger.read_async(ledger_now)
    history = leased.issuer.history
    assert history is not None
    try:
        there = await history.look_up(key_of(emitter, note))
    except Unreadable as error:
        # An unreliable list proves no absence.
        raise Disturbance(error.problem) from error
    if there is None:
        await _note_absent(leased, [note.id], listed_at)
        return
    if not is_ours(leased.issuer, emitter, note, there):
        raise Disturbance(Problem("batch.number_with_other_content", params={"number": note.number or 0}))
    found = FoundNote(
        invoice_id=note.id,
        remote_id=there.id,
        # Following the invoice later brings its access key, or the reasons of a rejection.
        state=InvoiceState.PROCESSING,
        answer_digest=digest_of_answer(leased.issuer.capabilities, note, there, None),
    )
    await ledger.write_async(adopt_notes, leased.lease, [found])


async def _settle_by_listing(leased: LeasedBatch) -> float | None:
    """Look for every note in doubt in a stable listing of its batch.

    Adopt a note that a stable listing shows with our content. A note is absent only if two stable listings lack it, the
    second one after the quiet time; it may then be posted again: `observations.patience` says why, and how often.
    Raises `Disturbance` for a note with other content, or one that seems to be issued outside of its batch. The latter
    stops every other batch as well, and a person decides about the note, because no later look can find it.
    """
    for _ in range(2):
        doubts = await doubts_of(leased)
        if not doubts:
            return None
        await leased.renew()
        await _settle_by(leased, await list_stably(leased.runtime, leased.staging, leased.remote_id), doubts)
        left = await doubts_of(leased)
        if not left:
            return None
        if (quiet_s := await _quiet_left(leased, left)) > 0:
            return quiet_s
    return 0.0


async def _note_absent(leased: LeasedBatch, invoice_ids: Sequence[int], listed_at: datetime) -> None:
    settings = leased.runtime.settings
    await leased.runtime.ledger.write_async(
        settle_absent,
        leased.lease,
        invoice_ids,
        listed_at=listed_at,
        quiet_s=_quiet_s(leased),
        request_timeout_s=settings.requests.timeout_s,
    )


async def doubts_of(leased: LeasedBatch) -> Sequence[InvoiceRecord]:
    """Return the invoices of the batch whose posts have an unknown outcome."""
    return await leased.runtime.ledger.read_async(
        ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.IN_DOUBT}
    )


def _quiet_s(leased: LeasedBatch) -> float:
    return leased.runtime.settings.protocol.quiet_for(is_staged=leased.batch.is_staged)


def _quiet_end(leased: LeasedBatch, invoice: InvoiceRecord) -> datetime:
    return quiet_end(
        invoice.last_byte_at,
        leased.lease.settle_after,
        invoice.doubts,
        quiet_s=_quiet_s(leased),
        request_timeout_s=leased.runtime.settings.requests.timeout_s,
    )


async def _quiet_left(leased: LeasedBatch, doubts: Sequence[InvoiceRecord]) -> float:
    """Return the seconds until a look can settle the last of these doubts. Not positive: now."""
    now = await leased.runtime.ledger.read_async(ledger_now)
    return (max(_quiet_end(leased, invoice) for invoice in doubts) - now).total_seconds()


async def _settle_by(leased: LeasedBatch, listing: Listing, doubts: Sequence[InvoiceRecord]) -> None:
    listed: dict[tuple[str | None, int | None], list[RemoteInvoice]] = defaultdict(list)
    for note in listing.notes:
        listed[(note.serie, note.number)].append(note)
    found, absent = [], []
    for invoice in doubts:
        notes = listed.get((invoice.serie, invoice.number), [])
        if not notes and invoice.remote_id is not None:
            notes = [await _read_answered(leased, invoice)]
        if notes:
            # If one post arrived twice, adopt the first note; the proof finds and deletes the other.
            found.append(_check_found(leased, invoice, min(notes, key=lambda note: note.id)))
        else:
            absent.append(invoice)
    ledger = leased.runtime.ledger
    late = await _suspects(leased, [each for each in absent if _quiet_end(leased, each) <= listing.begun_at])
    if late and not found and await _is_issued_outside(leased, late):
        if await _has_arrived(leased, late):
            return
        outside = [invoice.id for invoice in late]
        because = "it seems to be issued outside of its batch"
        await ledger.write_async(settle_unknowable, leased.lease, outside, because=because)
        await ledger.write_async(record_unresolved, leased.batch.id)
        number = min(invoice.number or 0 for invoice in late)
        raise Disturbance(Problem("batch.answer_differs", params={"number": number, "field": "batch_id"}))
    await ledger.write_async(adopt_notes, leased.lease, found)
    await _note_absent(leased, [invoice.id for invoice in absent], listing.begun_at)


async def _suspects(leased: LeasedBatch, late: Sequence[InvoiceRecord]) -> Sequence[InvoiceRecord]:
    """Return the notes that may have been issued outside of the batch that lacks them.

    One doubt is weak evidence once another note has joined the batch; a second doubt about the same note is strong.
    """
    created = {InvoiceState.CREATED}
    if late and await leased.runtime.ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states=created):
        return [invoice for invoice in late if invoice.doubts > 1]
    return late


async def _is_issued_outside(leased: LeasedBatch, late: Sequence[InvoiceRecord]) -> bool:
    """Return whether the series record has a note unknown to us at our number or above [A notes 1.1, 1.28]."""
    invoice = min(late, key=lambda each: each.number or 0)
    ledger, number = leased.runtime.ledger, invoice.number or 0
    emitter = await ledger.read_async(ledger_parties.emitter_of, invoice.emitter_id)
    record = await leased.issuer.serie(emitter.ref, invoice.serie or "")
    if record is None or record.latest_number is None or record.latest_number < number:
        return False
    is_ours = None
    if record.latest_id is not None:
        place = emitter.id, invoice.serie or "", record.latest_number
        is_ours = await ledger.read_async(ledger_numbers.is_ours, *place, remote_id=record.latest_id)
        if is_ours is None and record.latest_number == number:
            is_ours = False
    if is_ours is None:
        ours = await ledger.read_async(ledger_numbers.serie_of, emitter.id, invoice.serie or "")
        is_ours = ours is not None and ours.highest_posted > number
    return not is_ours


async def _has_arrived(leased: LeasedBatch, late: Sequence[InvoiceRecord]) -> bool:
    """Return whether one of these notes joined the batch after the listing; the next look then finds it."""
    wanted = {(invoice.serie, invoice.number) for invoice in late}
    listing = await list_stably(leased.runtime, leased.staging, leased.remote_id)
    return any((note.serie, note.number) in wanted for note in listing.notes)


async def _read_answered(leased: LeasedBatch, invoice: InvoiceRecord) -> RemoteInvoice:
    """Read an invoice by the id that its answer gave. Such an invoice exists: raises `Disturbance` if it is gone."""
    assert invoice.remote_id is not None
    try:
        return await leased.issuer.read(await leased.emitter(), invoice.remote_id)
    except NotFound as error:
        raise Disturbance(Problem("batch.note_vanished", params={"number": invoice.number or 0})) from error


def _check_found(leased: LeasedBatch, invoice: InvoiceRecord, note: RemoteInvoice) -> FoundNote:
    other = customer_problem(invoice, note)
    if other is not None and has_our_amounts(invoice, note):
        raise Disturbance(other)
    if not is_same_content(invoice, note) or not has_our_values(invoice, note):
        raise Disturbance(Problem("batch.number_with_other_content", params={"number": invoice.number or 0}))
    return FoundNote(
        invoice_id=invoice.id,
        remote_id=note.id,
        state=state_of(note),
        answer_digest=digest_of_answer(leased.issuer.capabilities, invoice, note, leased.remote_id),
    )
