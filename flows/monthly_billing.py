"""Flow: bill what contracts charge and what orders were paid in a month, and follow it to its end."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from connectors.ledger.sheets.row_import import ReadMeanwhile
from flows.billing import bill_file
from flows.reconcile_batches import reconcile_batches
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import entries, order_entries
from tasks.stations.reading_options import ReadingOptions

SCHEDULER: Final = "scheduler"
"""Who starts a run that no person started."""


async def monthly_billing(
    runner: Runner,
    *,
    profile: str = "local",
    competence: date | None = None,
    catch_up: bool = False,
    paid_only: bool = False,
    operator: str = SCHEDULER,
) -> list[int]:
    """Stage due charges and payments, and continue whatever stopped. Return the ids of the readings.

    It may run at any time, twice and on several machines: a contract has one living invoice in a month, and a paid
    invoice of an order one for ever. A person approves between staging and sending; the next run, or any sweep,
    continues from there. At its end the run closes the month before, if the profile requires it and nothing of it is
    open.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        competence: First day of the month. None means the current month.
        catch_up: Bill past months that were missed, too.
        paid_only: Leave contracts alone: bill paid invoices of orders.
        operator: Who started the run.
    """
    options = ReadingOptions(operator=operator, is_of_contracts=True)
    how = {"is_catching_up": catch_up, "is_by_clock": operator == SCHEDULER}
    readings: list[int] = []
    async with failure_page(runner, profile, "month"):
        try:
            if not paid_only:
                due = await runner.run(entries.gather, profile, competence, **how)
                readings += await _bill(runner, profile, due, options)
            paid = await _gather_paid(runner, profile, competence, **how)
            readings += await _bill(runner, profile, paid, options)
        finally:
            # A failing order service, or a mistake in the rule file, must not hold up staged batches.
            await reconcile_batches(runner, profile=profile)
            await runner.run(entries.close_month, profile)
            if runner.has_pages:
                await runner.show("month", await runner.run(entries.show_month, profile, competence))
    return readings


async def _gather_paid(runner: Runner, profile: str, competence: date | None, **how: bool) -> list[int]:
    """Update our copy of the order service's data and write what was paid into sheets. Return the sheets' file ids."""
    billed = order_entries.plans_to_bill(profile)
    if billed is None:
        return []
    plans, since, again = billed
    for plan in plans:
        await runner.run(order_entries.mirror_paid, profile, plan, since, again)
    for plan in order_entries.plans_with_unbilled_payments(profile):
        await runner.run(order_entries.mirror_orders, profile, plan)
    return await runner.run(order_entries.gather_paid, profile, competence, **how)


async def _bill(runner: Runner, profile: str, files: Sequence[int], options: ReadingOptions) -> list[int]:
    readings = []
    for file in files:
        try:
            reading, results = await bill_file(runner, profile, file, options=options)
        except ReadMeanwhile:
            # Another run gathered the same sheet at the same time, and bills it.
            continue
        await show_run(runner, profile, f"bill-{reading}", results, reading_id=reading)
        readings.append(reading)
    return readings
