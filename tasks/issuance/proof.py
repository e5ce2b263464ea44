"""Prove that the issuer's staged invoices of a batch equal the ledger's.

*Counted*: every note has a full answer, and the batch's counters show exactly as many. *Listed*: a stable listing
equals the ledger note by note. The list is required after any doubt, takeover, restart or mismatch, and above
`protocol.list_above_cents`.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.issuance import pending_invoices
from domain.issuing import BatchCounters, BatchProgress, RemoteBatch, RemoteInvoice
from domain.keys import proof_digest
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.issuance.answers import customer_problem, differing_waiting_value, has_our_values, is_same_content
from tasks.issuance.batch_lease import Disturbance, LeasedBatch
from tasks.issuance.deletion import delete_note
from tasks.issuance.listing import list_stably


@dataclass(frozen=True, slots=True)
class Proof:
    """The kind of proof, the digest that binds an approval to the staged set, and the issuer's counters."""

    by: Literal["counted", "listed"]
    digest: str
    counters: Mapping[str, int]


async def prove(leased: LeasedBatch) -> Proof:
    """Prove a batch after all its posts have an answer. Raises `Disturbance` with the difference."""
    known = await leased.runtime.ledger.read_async(pending_invoices.created_invoices, leased.batch.id)
    ceiling = leased.runtime.settings.protocol.list_above_cents
    must_list = leased.batch.must_list or (ceiling is not None and known.service_cents > ceiling)
    by: Literal["counted", "listed"] = "counted"
    counters = None if must_list else await _agreeing_counters(leased, len(known.digests))
    if counters is None:
        created = await leased.runtime.ledger.read_async(
            ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.CREATED}
        )
        counters = await _compare_by_listing(leased, created)
        by = "listed"
    digest = proof_digest(leased.remote_id, leased.batch.revision, known.digests)
    return Proof(by=by, digest=digest, counters=counters.to_json())


async def _agreeing_counters(leased: LeasedBatch, count: int) -> BatchCounters | None:
    """Return the counters as soon as they show `count` notes; None if they show more, or too few for too long."""
    protocol = leased.runtime.settings.protocol
    if leased.batch.last_answer_at is not None:
        settled_at = leased.batch.last_answer_at + timedelta(seconds=protocol.settle_s)
        now = await leased.runtime.ledger.read_async(ledger_now)
        await asyncio.sleep(max(0.0, (settled_at - now).total_seconds()))
    patience_ends_at = time.monotonic() + protocol.counter_patience_s
    while True:
        counters = (await read_unsent(leased)).counters
        if counters.created == counters.total == count:
            return counters
        if counters.total > count or time.monotonic() >= patience_ends_at:
            return None
        await asyncio.sleep(protocol.settle_s)


async def read_unsent(leased: LeasedBatch) -> RemoteBatch:
    """Read the issuer's batch. Raises `Disturbance` if somebody has sent it."""
    batch = await leased.staging.read(leased.remote_id)
    if batch.progress is not BatchProgress.WAITING:
        raise Disturbance(Problem("batch.sent_by_other", params={"batch": leased.remote_id, "status": batch.status}))
    return batch


async def check_sample(leased: LeasedBatch) -> None:
    """Compare some invoices of a proven batch once more: somebody may have changed them between proof and send.

    Compare all invoices of a batch that fits on one page; of a larger batch, compare one page, a different one each
    time. The listing after the send compares the rest. Raises `Disturbance`.
    """
    page = await leased.staging.sample(leased.remote_id, leased.batch.count)
    created = await leased.runtime.ledger.read_async(
        ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.CREATED}
    )
    ours = {invoice.remote_id: invoice for invoice in created}
    for note in page.invoices if page is not None else ():
        if note.state is not InvoiceState.CREATED:
            continue
        invoice = ours.get(note.id)
        if invoice is not None:
            _compare_unsent(leased, invoice, note)
        elif page is not None and page.count == leased.batch.count:
            # Somebody replaced one of our invoices, which no counter shows.
            raise _foreign_note(leased, note)


def _foreign_note(leased: LeasedBatch, note: RemoteInvoice) -> Disturbance:
    where = {"batch": leased.remote_id, "note": note.id, "number": note.number or 0}
    return Disturbance(Problem("batch.foreign_note", params=where))


async def _compare_by_listing(leased: LeasedBatch, created: Sequence[InvoiceRecord]) -> BatchCounters:
    ours = {invoice.remote_id: invoice for invoice in created if invoice.remote_id is not None}
    for _ in range(leased.runtime.settings.protocol.listing_tries):
        await leased.renew()
        listing = await list_stably(leased.runtime, leased.staging, leased.remote_id)
        if listing.batch.progress is not BatchProgress.WAITING:
            await read_unsent(leased)
        strangers = [note for note in listing.notes if note.id not in ours]
        if not strangers:
            _compare(leased, ours, {note.id: note for note in listing.notes})
            return listing.batch.counters
        for note in strangers:
            await _delete_surplus(leased, created, note)
    raise Disturbance(Problem("batch.unstable_listing", params={"batch": leased.remote_id}))


def _compare(leased: LeasedBatch, ours: Mapping[int, InvoiceRecord], listed: Mapping[int, RemoteInvoice]) -> None:
    for remote_id, invoice in ours.items():
        note = listed.get(remote_id)
        if note is None:
            raise Disturbance(Problem("batch.note_vanished", params={"number": invoice.number or 0}))
        _compare_unsent(leased, invoice, note)


def _compare_unsent(leased: LeasedBatch, invoice: InvoiceRecord, note: RemoteInvoice) -> None:
    """Raise `Disturbance` unless the issuer's invoice still waits as we posted it."""
    is_ours = (note.serie, note.number, note.state) == (invoice.serie, invoice.number, InvoiceState.CREATED)
    other = customer_problem(invoice, note)
    if is_ours and other is not None:
        raise Disturbance(other)
    is_same = is_same_content(invoice, note)
    if not is_ours or not is_same or differing_waiting_value(invoice, note, leased.batch.emission_at) is not None:
        raise Disturbance(Problem("batch.note_differs", params={"number": invoice.number or 0}))


async def _delete_surplus(leased: LeasedBatch, created: Sequence[InvoiceRecord], note: RemoteInvoice) -> None:
    """Delete the second copy of an invoice of ours that arrived twice. Raises `Disturbance` for any other invoice."""
    twin = next((each for each in created if (each.serie, each.number) == (note.serie, note.number)), None)
    if twin is None or not is_same_content(twin, note) or not has_our_values(twin, note):
        raise _foreign_note(leased, note)
    await delete_note(leased, note.id, invoice_id=twin.id)
