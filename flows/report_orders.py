"""Flow: all orders of some plans, fetched up to now and written into a workbook."""

from collections.abc import Sequence

from prefect import flow

from domain.problems import Problem
from flows.helping import in_words
from flows.tallies import show_run, told
from tasks import faces


@flow(name="report_orders", flow_run_name="report orders for {profile}")
@in_words("report_orders", arguments="report_orders")
async def report_orders(
    *, profile: str = "local", plans: Sequence[str] = (), is_csv: bool = False
) -> tuple[str, list[Problem]]:
    """The file's path, and what a person should know about how it came to be; `plans` by default the settings'."""
    async with told(profile, "report-orders"):
        wanted = faces.plans(profile, plans)
        tallies = [await faces.mirror_orders(profile, plan) for plan in wanted]
        path = faces.write_orders(profile, wanted, is_csv=is_csv)
    await show_run(profile, "report-orders", tallies)
    return path, [remark for tally in tallies for remark in tally.remarks]
