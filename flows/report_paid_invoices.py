"""Flow: fetch what was paid for some plans and write it into a workbook."""

from collections.abc import Sequence
from datetime import date

from domain.problems import Problem
from flows.run_report import failure_page, show_run
from flows.runner import Runner
from tasks import order_entries


async def report_paid_invoices(
    runner: Runner,
    *,
    profile: str = "local",
    plans: Sequence[str] = (),
    since: date | None = None,
    is_csv: bool = False,
) -> tuple[str, list[Problem]]:
    """Write the report. Return its path and remarks for a person.

    Args:
        runner: How stations are called.
        profile: Name of the profile.
        plans: Slugs of plans. None of them means the plans of the settings.
        since: Day in São Paulo. None means the first day of the previous month.
        is_csv: Write CSV instead of XLSX.
    """
    async with failure_page(runner, profile, "report-paid-invoices"):
        wanted = order_entries.plans(profile, plans)
        start = order_entries.report_start(profile, since)
        results = [await runner.run(order_entries.mirror_paid, profile, plan, start) for plan in wanted]
        path = await runner.run(order_entries.write_paid, profile, wanted, start, is_csv=is_csv)
    await show_run(runner, profile, "report-paid-invoices", results)
    return path, [remark for result in results for remark in result.remarks]
