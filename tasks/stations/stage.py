"""Station 5: open a batch at the issuer, post its invoices, prove that the staged batch equals the ledger."""

import asyncio
import functools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from connectors.http.errors import ConnectorError, Doubtful
from connectors.ledger import attempts as ledger_attempts
from connectors.ledger import batches as ledger_batches
from connectors.ledger import withdrawals
from connectors.ledger.batches import BatchRecord
from connectors.ledger.issuance import batch_lease, staging_queries
from connectors.ledger.issuance.pending_invoices import PendingInvoice
from connectors.ledger.issuance.staging_queries import BatchFacts, BatchNotes
from connectors.ledger.leases import FenceLost
from connectors.ledger.observations.doubts import HeldBack, held_back, unresolved_of
from domain.issuing import BatchProgress
from domain.keys import batch_name
from domain.problems import Problem
from domain.states import FILLING, BatchState, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.batch_lease import Disturbance, LeasedBatch, work_on
from tasks.issuance.certificate_term import AGAIN_S, certificate_problem
from tasks.issuance.concurrent_batches import run_batches
from tasks.issuance.doubts import doubts_of, settle_doubts
from tasks.issuance.freeze import freeze_batch
from tasks.issuance.post_restore_duplicates import stop_if_billed
from tasks.issuance.posting import Poster
from tasks.issuance.proof import prove, read_unsent
from tasks.issuance.serie_check import check_serie_again
from tasks.runtime import Runtime
from tasks.runtime.worker_pool import PostingSlot

Counts: TypeAlias = Mapping[InvoiceState, int]

_NEVER_THERE: Final = frozenset({InvoiceState.REFUSED, InvoiceState.RETIRED, InvoiceState.DELETED})
_BATCHES_AT_ONCE: Final = 16
"""The most batches to stage at once; most of them only wait for their counters."""
_OPENING_STEPS: Final = 4
_ORPHANS_AT_MOST: Final = 10
_ROUNDS: Final = 4


async def stage_batches(runtime: Runtime, batch_ids: Sequence[int]) -> list[StationResult]:
    """Stage each batch, a few at once. Return their reports in the same order. Raises as `run_batches` does."""
    return await run_batches(batch_ids, functools.partial(stage_batch, runtime), at_once=_BATCHES_AT_ONCE)


async def stage_batch(runtime: Runtime, batch_id: int) -> StationResult:
    """Stage one batch. Safe to repeat: it resumes from the ledger, and never posts a number for another content."""
    async with runtime.pool.posting_slot() as slot:
        return await work_on(runtime, batch_id, station="stage", states=FILLING, work=functools.partial(_stage, slot))


async def _stage(slot: PostingSlot, leased: LeasedBatch) -> StationResult:
    if leased.batch.state is BatchState.PLANNED and (problem := await certificate_problem(leased)) is not None:
        return await leased.wait(AGAIN_S, problem)
    if not leased.batch.is_staged:
        return await freeze_batch(leased)
    try:
        counts = await _fill(leased, slot)
    except HeldBack as error:
        return await _wait_behind(leased, error)
    if isinstance(counts, StationResult):
        return counts
    slot.leave()
    await leased.renew()
    if InvoiceState.CREATED not in counts:
        if not counts.keys() <= _NEVER_THERE:
            # All notes are issued already: a restored ledger knew the batch from before its send.
            await read_unsent(leased)
        return await _give_up_empty(leased, refused=sum(counts.values()))
    proof = await prove(leased)
    await leased.end_staging(digest=proof.digest, proven_by=proof.by, counters=proof.counters)
    return leased.result(staged=proof.counters["total"], refused=counts.get(InvoiceState.REFUSED, 0))


async def _fill(leased: LeasedBatch, slot: PostingSlot) -> Counts | StationResult:
    """Open the batch and post its invoices. Return the number of invoices in each state, or the report of a wait.

    Raises `HeldBack` and `Disturbance`.
    """
    ledger = leased.runtime.ledger
    facts = await ledger.read_async(staging_queries.facts_of, leased.batch)
    if facts.problem is not None:
        raise Disturbance(facts.problem)
    held = facts.held
    if leased.batch.state is BatchState.OPEN:
        waiting = await _settle_own(leased)
        if waiting is not None:
            return waiting
        held = await ledger.read_async(held_back, leased.batch.id)
    if held is not None:
        raise held
    opening = _Opening(facts)
    waiting = await _open(leased, opening)
    slot.begun()
    return waiting or await _post_all(leased, opening.known)


async def _settle_own(leased: LeasedBatch) -> StationResult | None:
    """Settle our own doubts before waiting on other batches, to avoid deadlock."""
    quiet_s = await settle_doubts(leased)
    return (
        None
        if quiet_s is None
        else await leased.wait(quiet_s, Problem("batch.doubts", params={"batch": leased.batch.id}))
    )


async def _wait_behind(leased: LeasedBatch, held: HeldBack) -> StationResult:
    looks_s = leased.runtime.settings.reconcile.looks_s
    pauses = {"doubt": leased.runtime.settings.protocol.quiet_s, "answer": looks_s[0], "decision": looks_s[-1]}
    return await leased.wait(pauses[held.why], held.problem)


async def _give_up_empty(leased: LeasedBatch, *, refused: int) -> StationResult:
    """Give up a batch whose invoices were all refused; an empty batch at the issuer harms nobody."""
    ledger = leased.runtime.ledger
    await ledger.write_async(withdrawals.give_up, leased.lease, because="no note was staged")
    await ledger.write_async(withdrawals.close_discarded, leased.lease)
    return leased.result(refused=refused)


@dataclass(slots=True)
class _Opening:
    """The data for opening a batch. `known` are its invoices, read while the issuer opened it; None if not read."""

    facts: BatchFacts
    known: BatchNotes | None = None


async def _open(leased: LeasedBatch, opening: _Opening) -> StationResult | None:
    """Open the batch, under at most a few names. Return None once it is open, else the report of a wait.

    Raises `Disturbance` after too many names.
    """
    for _ in range(_OPENING_STEPS):
        if leased.batch.state is BatchState.OPEN:
            return None
        leased.batch = await (_adopt_or_leave if leased.batch.state is BatchState.OPENING else _create)(leased, opening)
        await leased.keep()
    if leased.batch.state is BatchState.OPEN:
        return None
    if len(await leased.runtime.ledger.read_async(ledger_batches.orphans_of, leased.batch.id)) >= _ORPHANS_AT_MOST:
        raise Disturbance(Problem("batch.cannot_open", params={"batch": leased.batch.id}))
    pause = leased.runtime.settings.reconcile.looks_s[-1]
    return await leased.wait(pause, Problem("provider.down", params={"batch": leased.batch.id}))


async def _create(leased: LeasedBatch, opening: _Opening) -> BatchRecord:
    """Store the batch's name in the ledger, then create it at the issuer; a lost answer is looked up by that name."""
    ledger, batch = leased.runtime.ledger, leased.batch
    name = batch_name(
        competence=batch.competence,
        file_sha256=opening.facts.file_sha256,
        ordinal=batch.ordinal,
        revision=batch.revision,
        nonce=secrets.token_hex(4),
    )
    named, attempt = await ledger.write_async(batch_lease.begin_opening, leased.lease, name)
    asked = leased.staging.open(opening.facts.emitter, name, not_after=leased.last_start)
    # Read the notes to post while the provider creates the batch.
    made, notes = await asyncio.gather(
        asked, ledger.read_async(staging_queries.notes_of, batch.id), return_exceptions=True
    )
    if isinstance(made, ConnectorError):
        await ledger.write_async(ledger_attempts.end, attempt, **leased.failed_entry(made))
        if not isinstance(made, Doubtful):
            raise made
        return named
    if isinstance(made, BaseException):
        raise made
    await _refuse_held(leased, made.id)
    opened = await ledger.write_async(batch_lease.end_opening, leased.lease, attempt, made.id)
    if isinstance(opened, FenceLost):
        raise opened
    opening.known = notes if isinstance(notes, BatchNotes) else None
    return opened


async def _refuse_held(leased: LeasedBatch, remote_id: int) -> None:
    """Raise `Disturbance` if the issuer gave the id of another batch of ours: the two would mix their invoices."""
    other = await leased.runtime.ledger.read_async(staging_queries.holder_of, leased.batch.issuer, remote_id)
    if other not in {None, leased.batch.id}:
        raise Disturbance(Problem("batch.id_held", params={"batch": leased.batch.id, "other": other or 0}))


async def _adopt_or_leave(leased: LeasedBatch, opening: _Opening) -> BatchRecord:
    """Adopt the issuer's batch of our name if exactly one exists, unsent and empty; else give up that name.

    The ledger lists the name as an orphan: an empty batch is harmless, but posting into a wrong batch is not.
    """
    ledger, name = leased.runtime.ledger, leased.batch.name
    assert name is not None
    found = await leased.staging.find(opening.facts.emitter, name)
    if len(found) == 1 and found[0].progress is BatchProgress.WAITING and found[0].counters.total == 0:
        await _refuse_held(leased, found[0].id)
        return await ledger.write_async(ledger_batches.mark_opened, leased.lease, found[0].id)
    return await ledger.write_async(ledger_batches.replan_batch, leased.lease, found[0].id if found else None)


async def _post_all(leased: LeasedBatch, known: BatchNotes | None) -> Counts | StationResult:
    """Post the invoices and settle doubts until every post has an outcome.

    Return the number of invoices in each state, or the report of a wait. `known` are the batch's invoices, if they were
    read under this very lease and nothing was posted since. Raises `Disturbance`.
    """
    ledger = leased.runtime.ledger
    doubtful = Problem("batch.doubts", params={"batch": leased.batch.id})
    is_checked = False
    for _ in range(_ROUNDS):
        stand = await ledger.read_async(staging_queries.notes_of, leased.batch.id) if known is None else known
        if InvoiceState.IN_DOUBT in stand.counts:
            quiet_s = await settle_doubts(leased)
            if quiet_s is not None:
                return await leased.wait(quiet_s, doubtful)
            await leased.keep()
            stand = await ledger.read_async(staging_queries.notes_of, leased.batch.id)
        known = None
        if InvoiceState.UNRESOLVED in stand.counts:
            raise Disturbance(await ledger.read_async(unresolved_of, leased.batch.id))
        if InvoiceState.RESERVED not in stand.counts:
            return stand.counts
        if stand.is_suspect:
            await stop_if_billed(leased)
        if not is_checked:
            await check_serie_again(leased, stand.waiting[0].serie)
            is_checked = True
        is_first_known = InvoiceState.CREATED in stand.counts
        is_stopped = await _post(leased, stand.waiting, is_first_known=is_first_known)
        if is_stopped and not await doubts_of(leased):
            pause = leased.runtime.settings.reconcile.looks_s[-1]
            return await leased.wait(pause, Problem("provider.down", params={"batch": leased.batch.id}))
    return await leased.wait(0, doubtful)


async def _post(leased: LeasedBatch, reserved: Sequence[PendingInvoice], *, is_first_known: bool) -> bool:
    """Post the notes; return True when posting stopped early. Raises `Disturbance`."""
    poster = Poster(
        leased.runtime, await leased.channel(), leased.batch.id, leased.lease, is_first_known=is_first_known
    )
    await poster.post(reserved)
    leased.lease = poster.lease
    if poster.problem is not None:
        raise Disturbance(poster.problem)
    return poster.is_stopped
