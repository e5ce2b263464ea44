"""Flow: continue whatever stopped, and follow sent batches to their end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from connectors.http.errors import Denied, Resting
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import SettingsError
from domain.station_result import Ending, StationResult, Subject
from flows.run_report import failure_page, join_errors, show_run
from flows.runner import Runner
from tasks import entries
from tasks.issuance.concurrent_batches import finished_beside
from tasks.views.due_work import SharedStation

T = TypeVar("T")


async def reconcile_batches(runner: Runner, *, profile: str = "local", until_done: bool = False) -> int:
    """Run every due station once, for batches without a live lease. Return the number of results.

    This sweep, not the orchestrator's idempotency keys, guarantees that interrupted work continues. `until_done`
    repeats it until only a person or time can help, and reports what the rest waits for.
    """
    sweep = Sweep(runner, profile)
    async with failure_page(runner, profile, "reconcile"):
        await sweep.once()
        if until_done:
            await sweep.until_done()
    await show_run(runner, profile, "reconcile", sweep.results, sweep.errors)
    if sweep.errors:
        raise join_errors(sweep.errors)
    return len(sweep.results)


@dataclass(slots=True)
class Sweep:
    """One sweep. A failed batch never stops the others: `errors` collects the errors while every batch is processed."""

    runner: Runner
    profile: str
    results: list[StationResult] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)

    async def once(self) -> None:
        profile = self.profile
        await self.each(entries.compare, entries.restorations_to_compare(profile))
        await self.each(entries.resume, entries.stalled_imports(profile))
        await self.each(entries.retry, entries.retriable_imports(profile))
        await self._share(entries.stage, "stage")
        await self.runner.run(entries.approve, profile)
        await self._share(entries.release, "release")
        await self._share(entries.reconcile, "reconcile")
        await self.each(entries.cancel, entries.batches_due(profile, "cancel"))
        await self.each(entries.replace, entries.batches_due(profile, "replace"))
        await self.each(entries.discard, entries.batches_due(profile, "discard"))
        await self.each(entries.documents, entries.batches_to_document(profile))
        await self.each(entries.recount, entries.batches_due(profile, "recount"))
        entries.escalate(profile)

    async def until_done(self) -> None:
        """Sweep while more progress is likely soon, until an error. Add a result: what remaining work waits for."""
        clock = asyncio.get_running_loop().time
        remaining, moved_at = entries.remaining_work(self.profile), clock()
        while not self.errors and remaining.is_worth_waiting(still_s=clock() - moved_at):
            await asyncio.sleep(entries.PAUSE_S)
            await self.once()
            seen = entries.remaining_work(self.profile)
            moved_at = clock() if seen.latest_event != remaining.latest_event else moved_at
            remaining = seen
        if remaining.reasons:
            self.results.append(StationResult("sweep", Subject("ledger"), Ending.WAITING, remarks=remaining.reasons))

    async def _share(
        self, station: Callable[[str, list[int]], Awaitable[list[StationResult]]], name: SharedStation
    ) -> None:
        """Run a station on its due batches. Offer some of them to other workers if there are many."""
        shards = entries.due_shards(self.profile, name)
        await self.runner.offer(self.profile, name, shards[1:], cause=name)
        groups = [shard.batches for shard in shards]
        if name == "stage" and groups:
            # A batch mostly waits for the provider's counters. In one group, other batches post meanwhile.
            groups = [[batch for group in groups for batch in group]]
        await self.each(station, groups)

    async def each(
        self, station: Callable[[str, T], Awaitable[StationResult | list[StationResult]]], subjects: Sequence[T]
    ) -> None:
        """Run a station on each subject; collect results and errors.

        Stop without an error when requests to the provider are paused. Raise an error at once if every other subject
        would end with it.
        """
        for each in subjects:
            try:
                made = await self.runner.run(station, self.profile, each)
                self.results += [made] if isinstance(made, StationResult) else made
            except Resting as error:
                # Requests to the provider are paused. Due batches stay due.
                self.results += finished_beside(error)
                self.results.append(
                    StationResult("sweep", Subject("provider"), Ending.WAITING, remarks=(error.problem,))
                )
                return
            except (Denied, LedgerUnavailable, SettingsError):
                raise  # The next batch would fail for the same reason.
            except Exception as error:  # noqa: BLE001 - raised at the end of the sweep
                self.results += finished_beside(error)
                self.errors.append(error)
