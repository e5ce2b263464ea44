"""Cancel issued invoices, each once and only on a person's request. If an answer is lost, read the invoice.

The invoice becomes `cancelling` before the first byte leaves. Only the issuer's answer ends that state, or the proof
that the request was not sent. A request whose answer was lost is repeated only if the issuer still shows the invoice as
issued after the quiet time.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from connectors.http.errors import ConnectorError
from connectors.ledger import attempts as ledger_attempts
from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.attempts import Attempt
from connectors.ledger.cancellations import Cancellation, Outcome
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.observations.notes import observe_notes
from domain.issuing import EmitterRef, RemoteInvoice
from domain.problems import Problem
from domain.states import MAYBE_ISSUED, InvoiceState
from domain.station_result import Ending, StationResult
from tasks.issuance.batch_lease import LeasedBatch, work_on
from tasks.issuance.follow import read_ours, view_of
from tasks.issuance.refusals import refusals
from tasks.issuance.unreadable import UNUSABLE
from tasks.runtime import Runtime

MOST_REQUESTS: Final = 3
"""Number of requests without an answer after which a person decides whether to ask again."""
_UNKNOWN: Final = (None, "in_doubt", "disturbed")
_UNDER_WAY: Final = frozenset({InvoiceState.CANCELLING, InvoiceState.PROCESSING})
"""States of an issued invoice while its cancellation is decided. A product invoice is `processing` then [A 2.20]."""


async def cancel_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Request each approved cancellation of a batch from the issuer, or follow an earlier request. Safe to repeat."""
    return await work_on(runtime, batch_id, station="cancel", states=MAYBE_ISSUED, work=_cancel)


async def _cancel(leased: LeasedBatch) -> StationResult:
    emitter = await leased.emitter()
    failed: ConnectorError | None = None
    for cancellation in await leased.runtime.ledger.read_async(ledger_cancellations.open_of_batch, leased.batch.id):
        await leased.keep()
        try:
            await _advance(leased, emitter, cancellation)
        except ConnectorError as error:
            await _postpone(leased, cancellation, leased.pause_after(error, looks=0))
            if not isinstance(error, UNUSABLE):
                raise
            # Perhaps only this invoice is shown like that: the others are cancelled first.
            failed = error
    if failed is not None:
        raise failed
    still_open = await leased.runtime.ledger.read_async(ledger_cancellations.open_of_batch, leased.batch.id)
    return leased.result(Ending.WAITING if still_open else Ending.DONE, open=len(still_open))


async def _advance(leased: LeasedBatch, emitter: EmitterRef, cancellation: Cancellation) -> None:
    """Read the invoice; request its cancellation if it is still issued and no request can be on its way."""
    (note,) = await leased.runtime.ledger.read_async(ledger_invoices.invoices_by_ids, [cancellation.invoice_id])
    if note.state in {InvoiceState.ACCEPTED, InvoiceState.CANCELLING}:
        remote = await read_ours(leased, emitter, note)
        if remote is None:
            await _postpone(leased, cancellation, leased.runtime.settings.reconcile.looks_s[-1])
            return
        await _settle(leased, emitter, cancellation, note, remote)
        return
    await _end(leased, cancellation, "cancelled" if note.state is InvoiceState.CANCELLED else "refused")


async def _settle(
    leased: LeasedBatch, emitter: EmitterRef, cancellation: Cancellation, note: InvoiceRecord, remote: RemoteInvoice
) -> None:
    """Continue by the invoice's state at the issuer: cancelled, under way, refused, or still to be requested."""
    if remote.state is InvoiceState.CANCELLED:
        await _observe(leased, note, remote)
        await _end(leased, cancellation, "cancelled")
        return
    if remote.state in _UNDER_WAY:
        if remote.state is InvoiceState.CANCELLING:
            await _observe(leased, note, remote)
        await _postpone(leased, cancellation, leased.runtime.settings.reconcile.looks_s[0])
        return
    asked = await _requests(leased, cancellation)
    last = asked[-1] if asked else None
    if last is not None:
        quiet_s = await _quiet_left(leased, last)
        is_answered = bool(remote.errors) and [error.to_json() for error in remote.errors] != note.errors
        if quiet_s > 0 and not is_answered:
            await _postpone(leased, cancellation, quiet_s)
            return
        if last.outcome == "done" or is_answered:
            await _refuse(leased, cancellation, note, remote)
            return
    # No request can be on its way any more, and the issuer shows the invoice as issued: it leaves `cancelling`.
    if last is not None or note.state is InvoiceState.CANCELLING:
        because = "the issuer did not take the cancellation"
        await leased.runtime.ledger.write_async(ledger_cancellations.give_up, leased.lease, note.id, because=because)
    if sum(each.outcome in _UNKNOWN for each in asked) >= MOST_REQUESTS:
        await _report_note(leased, note, "cancel.unanswered", tries=MOST_REQUESTS)
        await _end(leased, cancellation, "unanswered")
        return
    await _request_cancellation(leased, emitter, cancellation, note)


async def _request_cancellation(
    leased: LeasedBatch, emitter: EmitterRef, cancellation: Cancellation, note: InvoiceRecord
) -> None:
    """Send one request to the issuer. The journal has it before its first byte leaves."""
    assert note.remote_id is not None
    await leased.renew()
    ledger = leased.runtime.ledger
    because = f"{cancellation.requested_by}: {cancellation.reason}"
    attempt = await ledger.write_async(ledger_cancellations.begin, leased.lease, note.id, because=because)
    if attempt is None:
        await _postpone(leased, cancellation, leased.runtime.settings.reconcile.looks_s[0])
        return
    try:
        state = await leased.issuer.cancel(
            emitter, note.remote_id, reason=cancellation.reason, not_after=leased.last_start
        )
    except ConnectorError as error:
        await _fail(leased, attempt, note, error)
        await _handle_refusal(leased, emitter, cancellation, note, error)
        return
    await ledger.write_async(ledger_attempts.end, attempt, "done", remote_id=note.remote_id)
    remote = None if state is None or state in _UNDER_WAY else await read_ours(leased, emitter, note)
    if remote is None:
        await _postpone(leased, cancellation, leased.runtime.settings.reconcile.looks_s[0])
    elif state is remote.state is InvoiceState.ACCEPTED:
        await _refuse(leased, cancellation, note, remote)
    else:
        await _settle(leased, emitter, cancellation, note, remote)


async def _fail(leased: LeasedBatch, attempt: int, note: InvoiceRecord, error: ConnectorError) -> None:
    """Record a failed request. Raise the error again unless it is the issuer's refusal.

    If the request may have arrived, the invoice stays `cancelling` until a look settles it.
    """
    ledger, failed = leased.runtime.ledger, leased.failed_entry(error)
    is_refused = failed["outcome"] in {"refused", "disturbed"} and error.status is not None and error.status >= 400
    if is_refused:
        failed["outcome"] = "refused"
    elif failed["outcome"] != "not_sent":
        failed["outcome"] = "in_doubt"
    await ledger.write_async(ledger_attempts.end, attempt, **failed)
    if failed["outcome"] == "not_sent":
        await ledger.write_async(ledger_cancellations.give_up, leased.lease, note.id, because="not sent")
    if not is_refused:
        raise error


async def _handle_refusal(
    leased: LeasedBatch, emitter: EmitterRef, cancellation: Cancellation, note: InvoiceRecord, error: ConnectorError
) -> None:
    """Return the invoice to `accepted` after a refusal, unless the issuer shows it as cancelled or under way."""
    remote = await read_ours(leased, emitter, note)
    if remote is not None and remote.state in {InvoiceState.CANCELLED, *_UNDER_WAY}:
        await _settle(leased, emitter, cancellation, note, remote)
        return
    because = "the issuer refused the cancellation"
    await leased.runtime.ledger.write_async(ledger_cancellations.give_up, leased.lease, note.id, because=because)
    answers = [problem.to_json() for problem in refusals(error)]
    words = "; ".join(text for texts in error.messages.values() for text in texts)
    await _report_refusal(leased, note, words or leased.runtime.catalogue.what(error.problem))
    await _end(leased, cancellation, "refused", answers)


async def _refuse(leased: LeasedBatch, cancellation: Cancellation, note: InvoiceRecord, remote: RemoteInvoice) -> None:
    """Record the city's refusal with its messages: the invoice becomes `accepted` again."""
    await _observe(leased, note, remote)
    words = "; ".join(" ".join(filter(None, (each.code, each.description, each.tip))) for each in remote.errors)
    await _report_refusal(leased, note, words)
    answers = [each.to_json() for each in remote.errors] or [Problem("cancel.no_reason").to_json()]
    await _end(leased, cancellation, "refused", answers)


async def _report_refusal(leased: LeasedBatch, note: InvoiceRecord, words: str) -> None:
    if words:
        await _report_note(leased, note, "cancel.refused", message=words[:200])
    else:
        await _report_note(leased, note, "cancel.refused_silently")


async def _report_note(leased: LeasedBatch, note: InvoiceRecord, code: str, **params: str | int) -> None:
    where: dict[str, str | int] = {"serie": note.serie or "-", "number": note.number or 0}
    await leased.open_incident(Problem(code, params={**where, **params}))


async def _observe(leased: LeasedBatch, note: InvoiceRecord, remote: RemoteInvoice) -> None:
    await leased.runtime.ledger.write_async(observe_notes, leased.batch.id, [view_of(note, remote)])


async def _end(
    leased: LeasedBatch, cancellation: Cancellation, outcome: Outcome, answers: Sequence[dict[str, Any]] = ()
) -> None:
    await leased.runtime.ledger.write_async(ledger_cancellations.end, cancellation.id, outcome, answers)


async def _postpone(leased: LeasedBatch, cancellation: Cancellation, seconds: float) -> None:
    await leased.runtime.ledger.write_async(
        ledger_cancellations.postpone_cancellation, cancellation.id, seconds=seconds
    )


async def _requests(leased: LeasedBatch, cancellation: Cancellation) -> list[Attempt]:
    """Return the requests of this cancellation that may have reached the issuer, oldest first."""
    found = await leased.runtime.ledger.read_async(ledger_attempts.attempts_of, invoice_id=cancellation.invoice_id)
    return [
        each
        for each in found
        if each.what == ledger_cancellations.WHAT
        and each.begun_at >= cancellation.requested_at
        and each.outcome not in {"not_sent", "refused"}
    ]


async def _quiet_left(leased: LeasedBatch, last: Attempt) -> float:
    """Return the seconds until this request cannot arrive any more. Not positive: now."""
    settings = leased.runtime.settings
    last_byte_at = last.last_byte_at or last.begun_at + timedelta(seconds=settings.requests.timeout_s)
    end = last_byte_at + timedelta(seconds=settings.protocol.quiet_s)
    return (end - await leased.runtime.ledger.read_async(ledger_now)).total_seconds()
