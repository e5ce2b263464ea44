"""Flow: fetch the accounts of the identity service with their members, and write them into a workbook."""

from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import order_entries


async def report_members(runner: Runner, *, profile: str = "local") -> str:
    """Write the workbook and return its path."""
    async with failure_page(runner, profile, "report-members"):
        path = await runner.run(order_entries.write_members, profile)
    await show_run(runner, profile, "report-members", ())
    return path
