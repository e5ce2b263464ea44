"""Flow: fetch the adjustments and discounts of orders that are in force, and write them into a workbook."""

from collections.abc import Sequence

from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import order_entries


async def report_adjustments(runner: Runner, *, profile: str = "local", plans: Sequence[str] = ()) -> str:
    """Write the workbook and return its path. No `plans`: those of the settings."""
    async with failure_page(runner, profile, "report-adjustments"):
        path = await runner.run(order_entries.write_adjustments, profile, plans)
    await show_run(runner, profile, "report-adjustments", ())
    return path
