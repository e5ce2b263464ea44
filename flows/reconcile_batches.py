"""Flow: whatever stopped goes on, and what was sent is followed to its end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from prefect import flow

from connectors.http.errors import Denied, Resting
from connectors.ledger.engine import LedgerUnavailable
from domain.problems import SettingsError
from domain.tallies import Ending, Tally
from flows.helping import in_words
from flows.tallies import gathered, show_run, told
from tasks import faces

T = TypeVar("T")


@flow(name="reconcile_batches", flow_run_name="reconcile for {profile}")
@in_words("reconcile_batches", arguments="reconcile")
async def reconcile_batches(*, profile: str = "local", until_done: bool = False) -> int:
    """One sweep over every due batch without a live lease: stage, release, reconcile, recount; how many looks.

    This sweep, not an idempotency key, guarantees that what stopped continues. `until_done` repeats it until only a
    person or time can bring anything on, and says what waits for whom.
    """
    errors: list[Exception] = []
    async with told(profile, "reconcile"):
        tallies = await _sweep(profile, errors)
        if until_done:
            tallies += await _go_on(profile, errors)
    await show_run(profile, "reconcile", tallies, errors)
    if errors:
        raise gathered(profile, errors)
    return len(tallies)


async def _go_on(profile: str, errors: list[Exception]) -> list[Tally]:
    """Sweep while that brings anything on soon; the last tally says what everything that is left waits for."""
    clock = asyncio.get_running_loop().time
    tallies: list[Tally] = []
    outlook, moved_at = faces.outlook(profile), clock()
    while not errors and outlook.is_worth_waiting(still_s=clock() - moved_at):
        await asyncio.sleep(faces.PAUSE_S)
        tallies += await _sweep(profile, errors)
        seen = faces.outlook(profile)
        moved_at = clock() if seen.latest_event != outlook.latest_event else moved_at
        outlook = seen
    if outlook.reasons:
        tallies.append(Tally("sweep", "ledger", Ending.WAITING, remarks=outlook.reasons))
    return tallies


async def _sweep(profile: str, errors: list[Exception]) -> list[Tally]:
    """One bad batch never holds up the others: what went wrong is gathered while everybody has their turn."""
    tallies = await _each(faces.compare, profile, faces.restored(profile), errors)
    tallies += await _each(faces.resume, profile, faces.stalled(profile), errors)
    if batches := faces.due(profile, "stage"):
        tallies += await _each(faces.stage, profile, [batches], errors)
    faces.approve(profile)
    tallies += await _each(faces.release, profile, faces.due(profile, "release"), errors)
    tallies += await _each(faces.reconcile, profile, faces.due(profile, "reconcile"), errors)
    tallies += await _each(faces.discard, profile, faces.due(profile, "discard"), errors)
    tallies += await _each(faces.recount, profile, faces.due(profile, "recount"), errors)
    faces.escalate(profile)
    return tallies


async def _each(
    face: Callable[[str, T], Awaitable[Tally | list[Tally]]],
    profile: str,
    subjects: Sequence[T],
    errors: list[Exception],
) -> list[Tally]:
    tallies: list[Tally] = []
    for each in subjects:
        try:
            made = await face(profile, each)
            tallies += [made] if isinstance(made, Tally) else made
        except Resting as error:
            # Nobody is asked for a while; what is due stays due.
            return [*tallies, Tally("sweep", "provider", Ending.WAITING, remarks=(error.problem,))]
        except (Denied, LedgerUnavailable, SettingsError):
            raise  # would be the same for every batch
        except Exception as error:  # noqa: BLE001 - raised at the end of the sweep
            errors.append(error)
    return tallies
