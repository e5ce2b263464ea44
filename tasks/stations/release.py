"""Station 7: check an approved batch a last time, send it once, and look up the outcome if the answer is lost."""

import os
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from connectors.http.errors import Busy, ConnectorError, Denied, Disturbed, Refused, Unreachable
from connectors.ledger import approvals as ledger_approvals
from connectors.ledger import attempts as ledger_attempts
from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import numbers as ledger_numbers
from connectors.ledger import replacements as ledger_replacements
from connectors.ledger import withdrawals
from connectors.ledger.database.sql import now as ledger_now
from connectors.users import user_name
from domain.competence import BRASILIA, emission_problem
from domain.issuing import BatchProgress, RemoteBatch
from domain.problems import Problem
from domain.states import BatchState, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.batch_lease import Disturbance, LeasedBatch, work_on
from tasks.issuance.canary import hold_for_canary
from tasks.issuance.certificate_term import AGAIN_S, certificate_problem
from tasks.issuance.emitters import check_emitter
from tasks.issuance.issue import issue_batch
from tasks.issuance.issue_dates import CLOCKS_DIFFER, issuer_clock
from tasks.issuance.proof import check_sample, read_unsent
from tasks.issuance.serie_check import check_serie_again
from tasks.runtime import Runtime
from tasks.services.replaced import replacement_problem

_RELEASABLE: Final = (BatchState.APPROVED, BatchState.HELD, BatchState.SENDING)


async def release_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Send one approved batch.

    Safe to repeat: a batch whose send got no answer is looked up, and sent again only if it is proved unsent.
    """
    return await work_on(runtime, batch_id, station="release", states=_RELEASABLE, work=_release)


async def _release(leased: LeasedBatch) -> StationResult:
    if leased.batch.state is not BatchState.SENDING and (held := await hold_for_canary(leased)) is not None:
        return held
    if leased.batch.state is BatchState.APPROVED and (problem := await certificate_problem(leased)) is not None:
        return await leased.wait(AGAIN_S, problem)
    if not leased.batch.is_staged:
        return await issue_batch(leased)
    if leased.batch.state is BatchState.SENDING:
        return await _find_out(leased)
    stale = await _stale_emission(leased)
    if stale is not None:
        await leased.runtime.ledger.write_async(withdrawals.give_up, leased.lease, because=stale.code, renews=True)
        return await leased.wait(0, stale)
    await check_emitter(leased.runtime, leased.batch.issuer, leased.batch.emitter_id)
    series = await _check_numbers(leased)
    await _check_replaced(leased)
    await check_sample(leased)
    await _check_counters(leased)
    for serie in series:
        await check_serie_again(leased, serie)
    await _check_clock(leased)
    return await _send(leased)


async def _stale_emission(leased: LeasedBatch) -> Problem | None:
    """Return why the invoices may no longer be sent with the batch's emission instant, or None.

    Use the ledger's clock, which gave the instant: to a worker with a slow clock it would lie in the future.

    Raises `Disturbance` if the sheet gave the instant, or if the present instant is refused too: drafting the invoices
    again would then not help, and only a person can choose.
    """
    now = await leased.runtime.ledger.read_async(ledger_now)
    notes = await leased.runtime.ledger.read_async(
        ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.CREATED}
    )
    # Check the sheet's own instants first: if one of them is too old, do not draft the other invoices again.
    for emission_at in sorted({note.emission_at for note in notes}, key=lambda instant: instant is None):
        problem = _emission_problem(leased, emission_at, now)
        if problem is None:
            continue
        if emission_at is not None:
            raise Disturbance(problem)
        if (of_today := _emission_problem(leased, now, now)) is not None:
            raise Disturbance(of_today)
        return problem
    return None


def _emission_problem(leased: LeasedBatch, emission_at: datetime | None, now: datetime) -> Problem | None:
    protocol = leased.runtime.settings.protocol
    emission_at = emission_at or leased.batch.emission_at
    assert emission_at is not None
    return emission_problem(
        emission_at,
        leased.batch.competence,
        now,
        max_age_days=protocol.emission_max_age_days,
        is_holiday=leased.runtime.is_holiday,
        allowed_months_after=protocol.allowed_months_after,
    )


async def _check_clock(leased: LeasedBatch) -> None:
    """Refuse to send invoices whose date is impossible by the issuer's clock, which may be days away from ours.

    Raises `Disturbance`, because only a person can tell which clock is right. Skip an issuer whose answers had no date.
    """
    runtime, batch = leased.runtime, leased.batch
    theirs = issuer_clock(leased)
    if theirs is None:
        return
    notes = await runtime.ledger.read_async(ledger_invoices.invoices_of, batch.id, states={InvoiceState.CREATED})
    for emission_at in {note.emission_at or batch.emission_at for note in notes}:
        if emission_at is not None and _emission_problem(leased, emission_at, theirs + CLOCKS_DIFFER) is not None:
            params: dict[str, str | int] = {
                "batch": batch.id,
                "emission": f"{emission_at.astimezone(BRASILIA):%d/%m/%Y}",
                "theirs": f"{theirs.astimezone(BRASILIA):%d/%m/%Y %H:%M}",
            }
            raise Disturbance(Problem("batch.clock_differs", params=params))


async def _check_numbers(leased: LeasedBatch) -> Collection[str]:
    """Return the batch's series.

    Raises `Disturbance` unless every number has the content that we posted, and no lower number is unexplained.
    """
    ledger = leased.runtime.ledger
    foreign = await ledger.read_async(ledger_numbers.wrong_digests, leased.batch.id)
    if foreign:
        raise Disturbance(Problem("serie.other_content", params={"count": len(foreign)}))
    notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.CREATED})
    highest = {(note.emitter_id, note.serie or ""): note.number or 0 for note in notes}
    for (emitter_id, serie), number in highest.items():
        unexplained = await ledger.read_async(ledger_numbers.audit_below, emitter_id, serie, number)
        if unexplained:
            shown = ", ".join(str(each.number) for each in unexplained[:5])
            raise Disturbance(Problem("serie.unexplained_numbers", params={"numbers": shown}))
    return sorted({serie for _, serie in highest})


async def _check_replaced(leased: LeasedBatch) -> None:
    """Raise `Disturbance` for a replacement of an invoice that was cancelled or replaced after the batch was staged."""
    for invoice in await leased.runtime.ledger.read_async(ledger_replacements.not_issued_any_more, leased.batch.id):
        problem = replacement_problem(invoice)
        assert problem is not None
        raise Disturbance(problem)


async def _check_counters(leased: LeasedBatch) -> None:
    counters = (await read_unsent(leased)).counters
    if not counters.created == counters.total == leased.batch.count:
        raise _differing_count(leased, counters.total)


def _differing_count(leased: LeasedBatch, found: int) -> Disturbance:
    return Disturbance(Problem("batch.counters_differ", params={"expected": leased.batch.count, "found": found}))


async def _send(leased: LeasedBatch) -> StationResult:
    ledger = leased.runtime.ledger
    # Renew here, so that the send cannot start in a lease that is about to end.
    await leased.renew()
    if await ledger.write_async(ledger_approvals.begin_sending, leased.lease, by=user_name(os.getuid())) is None:
        raise Disturbance(Problem("batch.approval_void", params={"batch": leased.batch.id}))
    attempt = await ledger.write_async(ledger_attempts.begin, leased.lease, "send")
    try:
        sent = await leased.staging.send(leased.remote_id, not_after=leased.last_start)
    except ConnectorError as error:
        await ledger.write_async(ledger_attempts.end, attempt, **leased.failed_entry(error))
        if isinstance(error, Busy):
            # A provider that answers "too busy" may have sent the batch nevertheless: the next run reads the batch.
            raise
        if isinstance(error, Unreachable | Denied):
            await ledger.write_async(ledger_approvals.revert_sending, leased.lease)
            raise
        return await _find_out(leased, refusal=error if isinstance(error, Refused | Disturbed) else None)
    await ledger.write_async(ledger_attempts.end, attempt, outcome="done", status=202)
    return await _record_sent(leased, sent, is_ours=True)


async def _record_sent(leased: LeasedBatch, batch: RemoteBatch, *, is_ours: bool) -> StationResult:
    await leased.runtime.ledger.write_async(
        ledger_batches.mark_sent, leased.lease, counters=batch.counters.to_json(), is_ours=is_ours
    )
    return leased.result(sent=leased.batch.count)


async def _find_out(leased: LeasedBatch, *, refusal: ConnectorError | None = None) -> StationResult:
    """Read the batch after a send without a clear answer: its state tells whether we or somebody else sent it.

    Raises `refusal`, the send's error, if the batch still waits: a second send would get the same answer.
    """
    batch = await leased.staging.read(leased.remote_id)
    if batch.counters.total != leased.batch.count:
        raise _differing_count(leased, batch.counters.total)
    if batch.progress is not BatchProgress.WAITING:
        return await _record_sent(leased, batch, is_ours=False)
    if refusal is not None:
        raise refusal
    attempts = await leased.runtime.ledger.read_async(ledger_attempts.unanswered_attempts, leased.batch.id, "send")
    # A send without a recorded end means that its worker died; its quiet time is over, or we would not be here.
    ends = [attempt.ended_at for attempt in attempts if attempt.ended_at is not None]
    if ends:
        quiet_at = max(ends) + timedelta(seconds=leased.runtime.settings.protocol.quiet_s)
        left = (quiet_at - await leased.runtime.ledger.read_async(ledger_now)).total_seconds()
        if left > 0:
            return await leased.wait(left, Problem("batch.send_in_doubt", params={"batch": leased.batch.id}))
    await leased.runtime.ledger.write_async(ledger_approvals.revert_sending, leased.lease)
    return await leased.wait(0)
