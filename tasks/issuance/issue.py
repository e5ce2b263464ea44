"""Station 7 for issuers that issue at once: post each invoice once, after the approval."""

from collections.abc import Sequence
from typing import Final

from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.backup import quarantine
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem, SettingsError
from domain.states import BatchState, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.answers import Channel, is_ours
from tasks.issuance.batch_lease import Disturbance, LeasedBatch
from tasks.issuance.doubts import doubts_of, settle_doubts
from tasks.issuance.emitters import check_emitter
from tasks.issuance.issue_dates import approval_age_problem, check_dates, month_problem
from tasks.issuance.post_restore_duplicates import stop_if_billed
from tasks.issuance.posting import Poster

_ROUNDS: Final = 6
_POSTED: Final = frozenset({InvoiceState.PROCESSING, InvoiceState.ACCEPTED, InvoiceState.REJECTED})


async def issue_batch(leased: LeasedBatch) -> StationResult:
    """Post every reserved invoice. Look up each unknown outcome before the next posts. Safe to repeat.

    A batch whose approval is old is opened again before its first post; later a person decides (`Disturbance`).
    If the issuer offers no look-up, an invoice with an unknown outcome waits as `unresolved` for a person.
    """
    channel = await leased.channel()
    try:
        leased.issuer.check_ready(channel.emitter)
    except SettingsError as error:
        # Release the lease: the batch can be issued as soon as the setting exists.
        return await leased.wait(leased.runtime.settings.reconcile.looks_s[-1], error.problem)
    if leased.batch.state is BatchState.APPROVED and (old := await _begin(leased)) is not None:
        return await leased.wait(0, old)
    ledger = leased.runtime.ledger
    is_timed = is_checked = False
    # Each refusal before the first answer costs one round.
    for _ in range(_ROUNDS + leased.batch.count):
        quiet_s = await settle_doubts(leased)
        if quiet_s is not None:
            return await leased.wait(quiet_s, Problem("batch.doubts", params={"batch": leased.batch.id}))
        await leased.renew()
        notes = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id)
        reserved = [note for note in notes if note.state is InvoiceState.RESERVED]
        if not reserved:
            await ledger.write_async(ledger_batches.mark_sent, leased.lease, counters={})
            return leased.result(sent=sum(note.remote_id is not None for note in notes))
        if not is_timed:
            await check_emitter(leased.runtime, leased.batch.issuer, leased.batch.emitter_id)
            await check_dates(leased)
            is_timed = True
        await stop_if_billed(leased)
        posted = [note for note in notes if note.state in _POSTED]
        if posted and not is_checked:
            await _check_first(leased, channel, posted[0])
            is_checked = True
        # Post the first invoice alone and read it back before posting any other.
        poster = Poster(leased.runtime, channel, leased.batch.id, leased.lease, is_first_known=bool(posted))
        await _post(poster, reserved if posted else reserved[:1])
        leased.lease = poster.lease
        if poster.problem is not None:
            raise Disturbance(poster.problem)
        if poster.is_stopped and not await doubts_of(leased):
            break
    pause = leased.runtime.settings.reconcile.looks_s[-1]
    return await leased.wait(pause, Problem("provider.down", params={"batch": leased.batch.id}))


async def _begin(leased: LeasedBatch) -> Problem | None:
    """Mark the batch as being issued, or open it again and return the problem of its old approval.

    Raises `Disturbance` if its approval is void.
    """
    await leased.renew()
    ledger = leased.runtime.ledger
    if (old := await approval_age_problem(leased)) is not None:
        await ledger.write_async(ledger_batches.reopen, leased.lease, because=old.code)
        return old
    if await ledger.write_async(quarantine.begin_issuing, leased.lease) is None:
        raise Disturbance(Problem("batch.approval_void", params={"batch": leased.batch.id}))
    return None


async def _post(poster: Poster, notes: Sequence[InvoiceRecord]) -> None:
    """Post the notes. Those with an earlier doubt come at the end, one by one.

    A second doubt about a note needs a person, and a killed worker leaves its whole group in doubt. So a note with an
    earlier doubt is a group of its own: a kill then affects no other such note.
    """
    await poster.post([note for note in notes if not note.doubts])
    for note in notes:
        if note.doubts and not poster.is_stopped:
            await poster.post([note])


async def _check_first(leased: LeasedBatch, channel: Channel, note: InvoiceRecord) -> None:
    """Read the first invoice back and compare it: the answer to a post may lack serie, number and month.

    Raises `Disturbance` for a difference. Do nothing if the issuer shows no invoices: the tax authority's key is then
    the first evidence.
    """
    if not leased.issuer.capabilities.can_read:
        return
    assert note.remote_id is not None
    there = await leased.issuer.read(channel.emitter, note.remote_id)
    if not is_ours(leased.issuer, channel.emitter, note, there):
        raise Disturbance(Problem("batch.note_differs", params={"number": note.number or 0}))
    if (problem := await month_problem(leased, note, there)) is not None:
        raise Disturbance(problem)
