"""Flow: bill what contracts charge in a month, and follow the invoices to their end."""

from datetime import date
from typing import Final

from flows.billing import bill_file
from flows.reconcile_batches import reconcile_batches
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries
from tasks.stations.read import ReadingOptions

SCHEDULER: Final = "scheduler"
"""Who starts a run that no person started."""


async def monthly_billing(
    runner: Runner,
    *,
    profile: str = "local",
    competence: date | None = None,
    catch_up: bool = False,
    operator: str = SCHEDULER,
) -> list[int]:
    """Stage the due charges of contracts, and continue whatever stopped. Return the ids of the readings.

    It may run at any time, twice and on several machines: a contract has one living invoice in a month. Between staging
    and sending a person approves; the next run, or any sweep, goes on from there. At its end it closes the month before
    where the profile says so and nothing of it is open.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        competence: First day of the month. None means the current month.
        catch_up: Bill past months that were missed, too.
        operator: Who started the run.
    """
    options = ReadingOptions(operator=operator, is_of_contracts=True)
    readings: list[int] = []
    async with failure_page(runner, profile, "month"):
        by_clock = operator == SCHEDULER
        for file in await runner.run(
            entries.gather, profile, competence, is_catching_up=catch_up, is_by_clock=by_clock
        ):
            reading, tallies = await bill_file(runner, profile, file, options=options)
            await show_run(runner, profile, f"bill-{reading}", tallies, reading_id=reading)
            readings.append(reading)
        await reconcile_batches(runner, profile=profile)
        await runner.run(entries.close_month, profile)
        if runner.has_pages:
            await runner.show("month", await runner.run(entries.show_month, profile, competence))
    return readings
