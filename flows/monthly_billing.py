"""Flow: bill what contracts charge in a month, and follow the invoices to their end."""

from datetime import date

from flows.billing import bill_file
from flows.reconcile_batches import reconcile_batches
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries
from tasks.stations.read import ReadingOptions


async def monthly_billing(
    runner: Runner,
    *,
    profile: str = "local",
    competence: date | None = None,
    catch_up: bool = False,
    operator: str = "scheduler",
) -> list[int]:
    """Stage the due charges of contracts, and continue whatever stopped. Return the ids of the readings.

    It may run at any time, repeatedly and on several machines: a contract has one living invoice a month. A person
    approves between staging and sending; the next run, or any sweep, continues from there.

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
        for file in await runner.run(entries.gather, profile, competence, is_catching_up=catch_up):
            reading, tallies = await bill_file(runner, profile, file, options=options)
            await show_run(runner, profile, f"bill-{reading}", tallies, reading_id=reading)
            readings.append(reading)
        await reconcile_batches(runner, profile=profile)
        if runner.has_pages:
            await runner.show("month", await runner.run(entries.show_month, profile, competence))
    return readings
