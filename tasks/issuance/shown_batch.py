"""Find out what the issuer shows of each of our invoices after a batch was listed, and what it shows of none."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from connectors.ledger.invoices import InvoiceRecord
from domain.issuing import RemoteInvoice
from domain.problems import Problem
from domain.states import BatchState, InvoiceState
from tasks.issuance.batch_lease import LeasedBatch
from tasks.issuance.listing import Listing
from tasks.issuance.unreadable import read_each, record_unreadable, record_unreadable_entries


@dataclass(frozen=True, slots=True)
class ShownBatch:
    """A batch as the issuer shows it.

    Attributes:
        notes: The invoices by the issuer's id, ours and others'.
        absent: The ids of ours that the issuer does not have.
        unknown: The ids of ours that it neither shows in a usable way nor lacks for certain.
        remarks: What a person should know about the unknown ones and about unreadable entries of the list.
    """

    notes: Mapping[int, RemoteInvoice]
    absent: Collection[int]
    unknown: Collection[int]
    remarks: tuple[Problem, ...]


async def read_shown(leased: LeasedBatch, ours: Mapping[int, InvoiceRecord], listing: Listing) -> ShownBatch:
    """Read by id our invoices that a partial listing does not show, and report what cannot be read.

    One issued outside of its batch is a tax document, too. An unreadable entry of the listing may be any invoice: while
    one is left over, none of ours counts as absent.
    """
    notes = {note.id: note for note in listing.notes}
    unlisted = {each for each, note in ours.items() if each not in notes and _is_awaited(leased, note)}
    found, unread = await read_each(leased, await leased.emitter(), unlisted) if unlisted else ({}, set())
    hidden = {each for each in unlisted if str(each) in listing.unread_ids}
    unread |= hidden - found.keys()
    in_batch = [each for each, note in found.items() if each in hidden or note.batch_id == leased.remote_id]
    has_left_over = len(listing.unread_ids) > len(in_batch) + len(unread)
    remarks = await record_unreadable(leased, [ours[each] for each in sorted(unread)])
    remarks += await record_unreadable_entries(leased, listing.unread_ids if has_left_over else ())
    notes |= found
    stateless = {each for each in ours.keys() & notes.keys() if notes[each].state is None}
    remarks += await _report_statuses(leased, {notes[each].status for each in stateless})
    missing = unlisted - found.keys() - unread
    unknown = unread | stateless | (missing if has_left_over else set())
    return ShownBatch(notes, absent=missing - unknown, unknown=unknown, remarks=remarks)


def _is_awaited(leased: LeasedBatch, note: InvoiceRecord) -> bool:
    """Return whether an invoice should be in the list. Until the batch is closed, a deleted one may come back."""
    return note.state is not InvoiceState.DELETED or leased.batch.state is not BatchState.PROCESSED


async def _report_statuses(leased: LeasedBatch, statuses: Collection[str]) -> tuple[Problem, ...]:
    """Open an incident for each status that no document names."""
    problems = tuple(Problem("batch.unknown_status", params={"status": each[:40]}) for each in sorted(statuses))
    for each in problems:
        await leased.open_incident(each)
    return problems
