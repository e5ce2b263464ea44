"""Flow: work on batches that a larger run offered to other workers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from domain.station_result import StationResult
from flows.reconcile_batches import Sweep
from flows.run_report import failure_page, join_errors, show_run
from flows.runner import Runner
from tasks import entries
from tasks.views.due_work import SharedStation

_STATIONS: Final[Mapping[SharedStation, Callable[[str, list[int]], Awaitable[list[StationResult]]]]] = {
    "stage": entries.stage,
    "release": entries.release,
    "reconcile": entries.reconcile,
}


async def work_batches(runner: Runner, *, station: SharedStation, batches: list[int], profile: str = "local") -> int:
    """Run one station on the batches that are still due. Return their number.

    It may start late, twice or never: the run that offered the batches, and then the sweeps, work on all that is left.
    """
    sweep = Sweep(runner, profile)
    async with failure_page(runner, profile, f"work-{station}"):
        due = entries.due_among(profile, station, batches)
        if due:
            await sweep.each(_STATIONS[station], [due])
        if due and station == "stage":
            await runner.run(entries.approve, profile)
            for reading in entries.readings_of(profile, due):
                await runner.run(entries.write_back, profile, reading)
    await show_run(runner, profile, f"work-{station}", sweep.results, sweep.errors)
    if sweep.errors:
        raise join_errors(sweep.errors)
    return len(due)
