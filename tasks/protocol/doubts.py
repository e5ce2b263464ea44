"""Settling doubts by looking: a post whose answer we never got is found, or proved absent, never just repeated."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from connectors.http.errors import NotFound
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import posting as ledger_posting
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.posting import FoundNote
from connectors.nfse.notes import Note
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.protocol.hold import Disturbance, Hold
from tasks.protocol.listing import Listing, list_stably
from tasks.protocol.notes import digest_of_answer, state_of


async def settle_doubts(hold: Hold) -> datetime | None:
    """Look for every note in doubt; None when all are settled, else the aware instant at which the rest can be.

    Found in a stable listing with our content: adopted. Absent only when two stable listings lack it, the second at
    least the quiet time after the last byte of its post. Raises `Disturbance` when one is there with other content.
    """
    for _ in range(2):
        doubts = await doubts_of(hold)
        if not doubts:
            return None
        await hold.renew()
        await _settle_by(hold, await list_stably(hold.runtime, hold.remote_id), doubts)
        left = await doubts_of(hold)
        if not left:
            return None
        quiet_at = max(_quiet_end(hold, invoice) for invoice in left)
        if quiet_at > hold.runtime.clock():
            return quiet_at
    return hold.runtime.clock()


async def doubts_of(hold: Hold) -> Sequence[InvoiceRecord]:
    """The notes of the batch whose posts have an unknown outcome."""
    return await hold.runtime.ledger.reading(ledger_invoices.invoices_of, hold.batch.id, states={InvoiceState.IN_DOUBT})


def is_same_content(invoice: InvoiceRecord, note: Note) -> bool:
    """Whether the provider's note says what we meant: taker and every amount we sent."""
    return note.taker_document == invoice.taker_document and all(
        note.amounts.get(field) == cents for field, cents in invoice.amounts.items()
    )


def _quiet_end(hold: Hold, invoice: InvoiceRecord) -> datetime:
    assert invoice.last_byte_at is not None
    return invoice.last_byte_at + timedelta(seconds=hold.runtime.settings.protocol.quiet_s)


async def _settle_by(hold: Hold, listing: Listing, doubts: Sequence[InvoiceRecord]) -> None:
    listed: dict[tuple[str | None, int | None], list[Note]] = defaultdict(list)
    for note in listing.notes:
        listed[(note.serie, note.number)].append(note)
    found, absent = [], []
    for invoice in doubts:
        notes = listed.get((invoice.serie, invoice.number), [])
        if not notes and invoice.remote_id is not None:
            notes = [await _read_answered(hold, invoice.remote_id, invoice.number or 0)]
        if notes:
            # Of two arrivals the first is ours; the proof finds the other and deletes it.
            found.append(_found(hold, invoice, min(notes, key=lambda note: note.id)))
        else:
            absent.append(invoice.id)
    ledger, settings = hold.runtime.ledger, hold.runtime.settings
    await ledger.writing(ledger_posting.adopt_notes, hold.lease, found)
    await ledger.writing(
        ledger_posting.settle_absent,
        hold.lease,
        absent,
        listed_at=listing.begun_at,
        quiet_s=settings.protocol.quiet_s,
        request_timeout_s=settings.nfse.request_timeout_s,
    )


async def _read_answered(hold: Hold, remote_id: int, number: int) -> Note:
    """A number that once had a 201 is never absent: its id is asked for."""
    try:
        return await hold.runtime.nfse.notes.read(remote_id)
    except NotFound as error:
        raise Disturbance(Problem("batch.note_vanished", params={"number": number})) from error


def _found(hold: Hold, invoice: InvoiceRecord, note: Note) -> FoundNote:
    if not is_same_content(invoice, note):
        raise Disturbance(Problem("batch.number_with_other_content", params={"number": invoice.number or 0}))
    return FoundNote(
        invoice_id=invoice.id,
        remote_id=note.id,
        state=state_of(note),
        answer_digest=digest_of_answer(invoice, note, hold.remote_id),
    )
