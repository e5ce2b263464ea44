"""Claim a batch for a station, and leave it in a consistent state even if the work fails.

Release the lease only when no request of ours can be in flight. A worker that dies or meets a bug lets the lease
expire; the next owner then waits until every request that was sent must have arrived.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from connectors.http.errors import ConnectorError, Denied, Disturbed, Refused, Unreadable
from connectors.http.steady import steady_s
from connectors.ledger import batches as ledger_batches
from connectors.ledger import incidents as ledger_incidents
from connectors.ledger import leases
from connectors.ledger import parties as ledger_parties
from connectors.ledger.batches import BatchRecord
from connectors.ledger.database.sql import now as ledger_now
from connectors.ledger.issuance import batch_lease
from connectors.ledger.issuance.batch_lease import Quarantined
from connectors.ledger.leases import FenceLost, Lease
from connectors.ledger.withdrawals import Unsettled
from domain.competence import BRASILIA
from domain.issuing import EmitterRef, Issuer, Staging
from domain.log_context import bind_ids
from domain.problems import FaturistaError, IllegalTransition, Problem
from domain.states import BatchState
from domain.station_result import Ending, StationResult, Subject
from tasks.issuance.answers import Channel, UnknownStatus
from tasks.issuance.emitters import OtherAccount, check_account, is_account_known
from tasks.issuance.listing import Unstable
from tasks.issuance.posting import outcome_of
from tasks.runtime import Runtime, answer_s

_HELD_BACK: Final = frozenset({"stage", "release", "discard", "cancel"})
"""Stations that write to the provider: a restored ledger does not enter them before it is freed."""


class Disturbance(FaturistaError):
    """The batch is not as we left it: work on it stops, and a person sees the difference."""


@dataclass(slots=True)
class LeasedBatch:
    """A batch and our lease on it. `is_over`: the last write has released the lease."""

    runtime: Runtime
    lease: Lease
    batch: BatchRecord
    station: str
    is_over: bool = False

    @property
    def remote_id(self) -> int:
        """Return the issuer's id of an opened batch."""
        assert self.batch.remote_id is not None
        return self.batch.remote_id

    @property
    def issuer(self) -> Issuer:
        return self.runtime.issuer(self.batch.issuer)

    @property
    def staging(self) -> Staging:
        """Return the staging interface of the issuer. Call it only if the issuer stages."""
        staging = self.issuer.staging
        assert staging is not None
        return staging

    async def emitter(self) -> EmitterRef:
        return (await self.runtime.ledger.read_async(ledger_parties.emitter_of, self.batch.emitter_id)).ref

    async def channel(self) -> Channel:
        """Return the channel that posts this batch's invoices."""
        return Channel(
            issuer=self.issuer,
            emitter=await self.emitter(),
            batch_id=self.batch.remote_id,
            emission_at=self.batch.emission_at,
            in_flight=self.runtime.most_in_flight(self.batch.issuer),
            answer_s=answer_s(self.runtime.settings),
        )

    @property
    def last_start(self) -> float:
        """Return the latest instant (steady clock) for a write to begin: its answer must arrive within our lease."""
        return self.lease.deadline - answer_s(self.runtime.settings)

    @staticmethod
    def failed_entry(error: ConnectorError) -> dict[str, Any]:
        """Return the journal entry of a write without a usable answer."""
        return {
            "outcome": outcome_of(error),
            "status": error.status,
            "last_byte_at": error.wire.last_byte_at,
            "detail": type(error).__name__,
        }

    async def renew(self) -> None:
        """Renew the lease for its full term (`lease_s`) and read the batch again.

        Raises `FenceLost` if this worker no longer has the batch.
        """
        self.lease, self.batch = await self.runtime.ledger.write_async(
            batch_lease.renew, self.lease, seconds=self.runtime.settings.protocol.lease_s
        )

    async def keep(self) -> None:
        """Renew the lease if less than half of it is left. Call this in a loop over many invoices."""
        if self.lease.deadline - steady_s() < self.runtime.settings.protocol.lease_s / 2:
            await self.renew()

    def pause_after(self, error: ConnectorError, *, looks: int) -> float:
        """Return the seconds to wait after an error: the issuer's `Retry-After`, or else `looks_s[looks]`.

        Never return more than the longest pause: a gateway may ask for years.
        """
        pause_s = error.retry_after or self.runtime.settings.reconcile.looks_s[looks]
        return min(pause_s, self.runtime.system_of(self.batch.issuer).pace.longest_pause_s)

    async def open_incident(self, problem: Problem, *, invoice_id: int | None = None) -> None:
        """Open an incident of the batch, unless an equal one is open."""
        await self.runtime.ledger.write_async(
            ledger_incidents.open_incident,
            code=problem.code,
            params=problem.params,
            batch_id=self.batch.id,
            invoice_id=invoice_id,
        )

    async def open_incident_once(self, problem: Problem, *, is_anywhere: bool = False) -> None:
        """Open an incident, unless the batch, or with `is_anywhere` any batch, ever had an equal one."""
        await self.runtime.ledger.write_async(
            ledger_incidents.open_incident_once,
            code=problem.code,
            params=problem.params,
            batch_id=self.batch.id,
            is_anywhere=is_anywhere,
        )

    async def keep_incident(self, code: str, params: Mapping[str, str | int] | None) -> None:
        """Let these params be the batch's only open incident of this code; None: close the open one."""
        ledger, batch_id = self.runtime.ledger, self.batch.id
        if params is None:
            shown = await ledger.read_async(ledger_incidents.incidents_open, batch_id)
            if not any(each.code == code for each in shown):
                return
        kept = None if params is None else dict(params)
        await ledger.write_async(ledger_incidents.keep_incident, code=code, params=kept, batch_id=batch_id)

    def result(self, ending: Ending = Ending.DONE, *remarks: Problem, **counts: int) -> StationResult:
        """Return the station's report about this batch."""
        return StationResult(self.station, Subject("batch", self.batch.id), ending, counts, remarks)

    async def wait(self, seconds: float, *remarks: Problem, **counts: int) -> StationResult:
        """Postpone the batch by this many seconds and release the lease: a sweep takes the batch up again."""
        await self.runtime.ledger.write_async(batch_lease.postpone_batch, self.lease, seconds=max(0.0, seconds))
        self.is_over = True
        return self.result(Ending.WAITING, *remarks, **counts)

    async def end_staging(self, *, digest: str, proven_by: str, counters: Mapping[str, int]) -> None:
        """Mark the batch as staged with its proof, and release the lease."""
        await self.runtime.ledger.write_async(
            batch_lease.end_staging, self.lease, digest=digest, proven_by=proven_by, counters=counters
        )
        self.is_over = True

    async def end_look(
        self, *, becomes: BatchState | None, counters: Mapping[str, int], look_s: float | None = None
    ) -> None:
        """Store the result of a look and release the lease. `look_s`: seconds to the next look, None for no other."""
        await self.runtime.ledger.write_async(
            batch_lease.end_look, self.lease, becomes=becomes, counters=counters, look_s=look_s
        )
        self.is_over = True


async def work_on(
    runtime: Runtime,
    batch_id: int,
    *,
    station: str,
    states: Collection[BatchState],
    work: Callable[[LeasedBatch], Awaitable[StationResult]],
) -> StationResult:
    """Claim a batch, run `work` under the lease, and return the report.

    A difference stops the batch for a person (`disturb`). An unreachable issuer postpones it. If the issuer denies us
    access, or may show another account, release the lease and raise `Denied` or `OtherAccount`.
    """
    subject = Subject("batch", batch_id)
    protocol = runtime.settings.protocol
    try:
        taken = await runtime.ledger.write_async(
            batch_lease.take,
            batch_id,
            owner=runtime.worker,
            seconds=protocol.lease_s,
            states=states,
            is_writer=station in _HELD_BACK,
        )
    except Quarantined as error:
        return StationResult(station, subject, Ending.WAITING, remarks=(error.problem,))
    if taken is None:
        return StationResult(station, subject, Ending.BUSY, remarks=await _held_problem(runtime, batch_id))
    leased = LeasedBatch(runtime, *taken, station)
    try:
        with bind_ids(batch=batch_id):
            result = await _run_guarded_work(leased, work)
        if not leased.is_over:
            await runtime.ledger.write_async(leases.give_back, leased.lease)
    except FenceLost:
        return leased.result(Ending.BUSY, Problem("batch.lease_lost", params={"batch": batch_id}))
    return result


async def _held_problem(runtime: Runtime, batch_id: int) -> tuple[Problem, ...]:
    """Return the problem that another worker, perhaps a dead one, has the lease, and until when."""
    until = await runtime.ledger.read_async(batch_lease.held_until, batch_id)
    if until is None:
        return ()
    return (Problem("batch.held", params={"batch": batch_id, "until": f"{until.astimezone(BRASILIA):%H:%M:%S}"}),)


async def _run_guarded_work(
    leased: LeasedBatch, work: Callable[[LeasedBatch], Awaitable[StationResult]]
) -> StationResult:
    quiet_left = await _quiet_left(leased)
    if quiet_left > 0:
        return await leased.wait(quiet_left, Problem("batch.quiet", params={"batch": leased.batch.id}))
    runtime = leased.runtime
    try:
        await check_account(runtime, leased.batch.issuer, leased.batch.emitter_id)
        return await work(leased)
    except OtherAccount as error:
        if await is_account_known(runtime, leased.batch.issuer):
            # The account is ours: somebody changed the company there.
            return await disturb(leased, error.problem)
        await runtime.ledger.write_async(leases.give_back, leased.lease)
        raise
    except (Disturbance, Unstable, UnknownStatus, Unsettled, IllegalTransition, Disturbed, Refused) as error:
        # Handle `Refused` here, too: a 4xx about a batch is never a row's problem.
        return await disturb(leased, error.problem)
    except ConnectorError as error:
        if isinstance(error, Denied):
            await runtime.ledger.write_async(leases.give_back, leased.lease)
            raise
        if isinstance(error, Unreadable):
            # Another try does not help: a person has to hear of it.
            await leased.keep_incident(ledger_incidents.UNREADABLE, error.problem.params)
        return await leased.wait(leased.pause_after(error, looks=-1), error.problem)


async def _quiet_left(leased: LeasedBatch) -> float:
    """Return the seconds until no request of a dead owner can arrive any more. Not positive: now."""
    if leased.lease.settle_after is None:
        return 0.0
    settings = leased.runtime.settings
    quiet = timedelta(seconds=settings.requests.timeout_s + settings.protocol.quiet_s)
    now = await leased.runtime.ledger.read_async(ledger_now)
    return (leased.lease.settle_after + quiet - now).total_seconds()


async def disturb(leased: LeasedBatch, problem: Problem) -> StationResult:
    """Stop the batch and show a person what differs.

    A sent batch cannot be stopped: open the incident, and look at the batch again later.
    """
    is_stopped = await leased.runtime.ledger.write_async(
        ledger_batches.disturb, leased.batch.id, code=problem.code, params=problem.params, lease=leased.lease
    )
    if not is_stopped:
        return await leased.wait(leased.runtime.settings.reconcile.looks_s[-1], problem)
    return leased.result(Ending.DISTURBED, problem)
