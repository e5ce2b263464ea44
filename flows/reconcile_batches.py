"""Flow: continue whatever stopped, and follow sent batches to their end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from connectors.http.errors import Denied, Resting
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import SettingsError
from domain.run_report import Ending, Subject, Tally
from flows.run_report import failure_page, joined, show_run
from flows.runner import Runner
from tasks import entries

T = TypeVar("T")


async def reconcile_batches(runner: Runner, *, profile: str = "local", until_done: bool = False) -> int:
    """Sweep once over every due batch without a live lease. Return the number of station runs.

    This sweep guarantees that stopped work continues; no idempotency key of the orchestrator does. `until_done` repeats
    it until only a person or time can make progress, and reports what waits for whom.
    """
    sweep = _Sweep(runner, profile)
    async with failure_page(runner, profile, "reconcile"):
        await sweep.once()
        if until_done:
            await sweep.until_done()
    await show_run(runner, profile, "reconcile", sweep.tallies, sweep.errors)
    if sweep.errors:
        raise joined(sweep.errors)
    return len(sweep.tallies)


@dataclass(slots=True)
class _Sweep:
    """One sweep. A failed batch never stops the others: `errors` collects the errors while every batch is processed."""

    runner: Runner
    profile: str
    tallies: list[Tally] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)

    async def once(self) -> None:
        profile = self.profile
        await self._each(entries.compare, entries.restored(profile))
        await self._each(entries.resume, entries.stalled(profile))
        await self._each(entries.retry, entries.retriable(profile))
        if batches := entries.due(profile, "stage"):
            await self._each(entries.stage, [batches])
        await self.runner.run(entries.approve, profile)
        await self._each(entries.release, entries.due_groups(profile, "release"))
        await self._each(entries.reconcile, entries.due_groups(profile, "reconcile"))
        await self._each(entries.cancel, entries.due(profile, "cancel"))
        await self._each(entries.discard, entries.due(profile, "discard"))
        await self._each(entries.documents, entries.undocumented(profile))
        await self._each(entries.recount, entries.due(profile, "recount"))
        entries.escalate(profile)

    async def until_done(self) -> None:
        """Sweep while more progress is likely soon. The last tally says what the remaining work waits for."""
        clock = asyncio.get_running_loop().time
        outlook, moved_at = entries.outlook(self.profile), clock()
        while not self.errors and outlook.is_worth_waiting(still_s=clock() - moved_at):
            await asyncio.sleep(entries.PAUSE_S)
            await self.once()
            seen = entries.outlook(self.profile)
            moved_at = clock() if seen.latest_event != outlook.latest_event else moved_at
            outlook = seen
        if outlook.reasons:
            self.tallies.append(Tally("sweep", Subject("ledger"), Ending.WAITING, remarks=outlook.reasons))

    async def _each(self, station: Callable[[str, T], Awaitable[Tally | list[Tally]]], subjects: Sequence[T]) -> None:
        for each in subjects:
            try:
                made = await self.runner.run(station, self.profile, each)
                self.tallies += [made] if isinstance(made, Tally) else made
            except Resting as error:
                # The provider must not be asked for a while. Due batches stay due.
                self.tallies.append(Tally("sweep", Subject("provider"), Ending.WAITING, remarks=(error.problem,)))
                return
            except (Denied, LedgerUnavailable, SettingsError):
                raise  # The next batch would fail for the same reason.
            except Exception as error:  # noqa: BLE001 - raised at the end of the sweep
                self.errors.append(error)
