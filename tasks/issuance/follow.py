"""Station 8 for issuers that issue at once: read each invoice under way until the tax authority has answered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from connectors.http.errors import Broken, NotFound
from connectors.ledger import batch_observations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.observations.notes import NoteView, follow_other, observe_notes
from domain.issuing import EmitterRef, RemoteInvoice
from domain.problems import Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import Ending, StationResult
from tasks.issuance.answers import is_ours, key_of
from tasks.issuance.batch_lease import LeasedBatch
from tasks.issuance.emitters import OtherAccount, check_emitter
from tasks.issuance.issue_dates import month_problem
from tasks.issuance.unreadable import UNREADABLE, record_unreadable

_UNDER_WAY: Final = frozenset({InvoiceState.PROCESSING, InvoiceState.CANCELLING})
_LIVES: Final = frozenset({InvoiceState.PROCESSING, InvoiceState.ACCEPTED})
_OPEN: Final = _UNDER_WAY | {InvoiceState.IN_DOUBT, InvoiceState.UNRESOLVED}


async def follow_batch(leased: LeasedBatch) -> StationResult:
    """Look once at each invoice under way. If the issuer shows no invoices, wait for a person's decision."""
    ledger = leased.runtime.ledger
    emitter = await leased.emitter()
    can_read = leased.issuer.capabilities.can_read
    under_way = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states=_UNDER_WAY)
    remarks = await observe_each(leased, emitter, under_way) if can_read else ()
    left = await ledger.read_async(ledger_invoices.count_by_state, leased.batch.id)
    counts = {state.value: left.get(state, 0) for state in (InvoiceState.ACCEPTED, InvoiceState.REJECTED)}
    is_open = any(left.get(state) for state in _OPEN)
    if is_open and not can_read:
        pause = leased.runtime.settings.reconcile.looks_s[-1]
        return await leased.wait(pause, Problem("provider.no_extensions", params={"call": leased.issuer.kind}))
    if not is_open:
        await report_emitter(leased)
    await ledger.write_async(
        batch_observations.observe_batch,
        leased.batch.id,
        becomes=BatchState.PROCESSING if is_open else BatchState.PROCESSED,
        counters=counts,
        look_s=leased.runtime.settings.reconcile.wait_s(leased.batch.looks) if is_open else None,
    )
    return leased.result(Ending.WAITING if is_open else Ending.DONE, *remarks, **counts)


async def report_emitter(leased: LeasedBatch) -> None:
    """Open an incident, once for a batch, if the issuer shows another company now: it may have issued the invoices."""
    batch = leased.batch
    try:
        await check_emitter(leased.runtime, batch.issuer, batch.emitter_id)
    except OtherAccount as error:
        params = {"batch": batch.id, **error.problem.params}
        await leased.open_incident_once(Problem("batch.emitter_changed", params=params))


async def observe_each(
    leased: LeasedBatch, emitter: EmitterRef, notes: Sequence[InvoiceRecord], *, are_all: bool = True
) -> tuple[Problem, ...]:
    """Look at each invoice, whatever the answers about the others are. Return remarks about those without a usable one.

    An incident names the unreadable ones. It closes when a look at `are_all` invoices in question can read them.
    """
    unread: list[InvoiceRecord] = []
    broken: Problem | None = None
    for note in notes:
        await leased.keep()
        try:
            await observe_invoice(leased, emitter, note)
        except UNREADABLE:
            unread.append(note)
        except Broken as error:
            broken = error.problem
    shown = await record_unreadable(leased, unread) if unread or are_all else ()
    return shown if broken is None else (*shown, broken)


async def observe_invoice(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord) -> None:
    """Read one invoice by its id and store its state."""
    there = await read_ours(leased, emitter, note)
    if there is not None:
        await _store(leased, emitter, note, there)


async def read_ours(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord) -> RemoteInvoice | None:
    """Read an invoice by its id. If it is gone, not ours or in an unknown status, open an incident and return None."""
    assert note.remote_id is not None
    try:
        there = await leased.issuer.read(emitter, note.remote_id)
    except NotFound:
        await leased.open_incident(Problem("batch.note_vanished", params={"number": note.number or 0}))
        return None
    return there if await _is_understood(leased, emitter, note, there) else None


async def take_in(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord, there: RemoteInvoice) -> None:
    """Store the state of an invoice at the issuer.

    Open an incident if it is not ours, if its status is unknown, or if it was issued in a wrong month.
    """
    if await _is_understood(leased, emitter, note, there):
        await _store(leased, emitter, note, there)


async def _is_understood(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord, there: RemoteInvoice) -> bool:
    """Return whether the invoice is ours and has a known status; else open an incident."""
    if not is_ours(leased.issuer, emitter, note, there):
        await leased.open_incident(Problem("batch.note_differs", params={"number": note.number or 0}))
        return False
    if there.state is None:
        # The statuses "error" and "not_sent": only a person can find out whether the tax authority has the invoice.
        await leased.open_incident(Problem("batch.unknown_status", params={"status": there.status[:40]}))
        return False
    return True


async def _store(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord, there: RemoteInvoice) -> None:
    if there.number_exists and note.state in _UNDER_WAY:
        await _follow_living(leased, emitter, note)
    else:
        await leased.runtime.ledger.write_async(observe_notes, leased.batch.id, [view_of(note, there)])
        await _check_month(leased, note, there)


async def _follow_living(leased: LeasedBatch, emitter: EmitterRef, note: InvoiceRecord) -> None:
    """Follow the living one of two invoices, if our post arrived twice and this one was rejected.

    A rejection because the number exists is not the row's fault: its sale is issued and must not return as a
    correction.
    """
    history = leased.issuer.history
    bearers = await history.invoices_with_key(key_of(emitter, note)) if history else ()
    living = [
        each
        for each in bearers
        if each.state in _LIVES and each.id != note.remote_id and is_ours(leased.issuer, emitter, note, each)
    ]
    if len(living) == 1:
        view = replace(view_of(note, living[0]), remote_id=living[0].id)
        await leased.runtime.ledger.write_async(follow_other, leased.batch.id, view)
        await _check_month(leased, note, living[0])
    else:
        where: dict[str, str | int] = {"number": note.number or 0, "serie": note.serie or "-"}
        await leased.open_incident(Problem("batch.number_exists", params=where))


async def _check_month(leased: LeasedBatch, note: InvoiceRecord, there: RemoteInvoice) -> None:
    """Open an incident, once for a batch and a month, if the invoice was issued in a wrong month."""
    problem = await month_problem(leased, note, there)
    if problem is not None:
        await leased.open_incident_once(problem)


def view_of(note: InvoiceRecord, there: RemoteInvoice) -> NoteView:
    """Return what the ledger stores about an invoice. The issuer must show a known state."""
    assert there.state is not None
    return NoteView(
        invoice_id=note.id,
        state=there.state,
        nfse_number=there.document_number,
        nfse_key=there.access_key,
        errors=[error.to_json() for error in there.errors],
    )
