"""Flow: whatever stopped goes on, and what was sent is followed to its end."""

import asyncio

from prefect import flow

from domain.tallies import Tally
from flows.tallies import show_tallies
from tasks import faces


@flow(name="reconcile_batches", flow_run_name="reconcile for {profile}")
async def reconcile_batches(*, profile: str = "local", until_done: bool = False) -> int:
    """One sweep over every due batch without a live lease: stage, release, reconcile, recount; how many looks.

    This sweep, not an idempotency key, guarantees that what stopped continues. `until_done` repeats it until no batch
    can go on without a person.
    """
    tallies = await _sweep(profile)
    while until_done and faces.has_unfinished(profile):
        await asyncio.sleep(faces.PAUSE_S)
        tallies += await _sweep(profile)
    await show_tallies("reconcile", tallies)
    return len(tallies)


async def _sweep(profile: str) -> list[Tally]:
    tallies = [await faces.resume(profile, reading) for reading in faces.stalled(profile)]
    tallies += [await faces.stage(profile, batch) for batch in faces.due(profile, "stage")]
    faces.approve(profile)
    tallies += [await faces.release(profile, batch) for batch in faces.due(profile, "release")]
    tallies += [await faces.reconcile(profile, batch) for batch in faces.due(profile, "reconcile")]
    tallies += [await faces.discard(profile, batch) for batch in faces.due(profile, "discard")]
    tallies += [await faces.recount(profile, batch) for batch in faces.due(profile, "recount")]
    return tallies
