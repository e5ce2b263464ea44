"""Flow: fetch all orders of some plans and write them into a workbook."""

from collections.abc import Sequence

from domain.problems import Problem
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import order_entries


async def report_orders(
    runner: Runner, *, profile: str = "local", plans: Sequence[str] = (), is_csv: bool = False
) -> tuple[str, list[Problem]]:
    """Write the report. Return its path and remarks for a person. No `plans`: those of the settings."""
    async with failure_page(runner, profile, "report-orders"):
        wanted = order_entries.plans(profile, plans)
        results = [await runner.run(order_entries.mirror_orders, profile, plan) for plan in wanted]
        path = await runner.run(order_entries.write_orders, profile, wanted, is_csv=is_csv)
    await show_run(runner, profile, "report-orders", results)
    return path, [remark for result in results for remark in result.remarks]
