"""Flow: what was paid for some plans, fetched up to now and written into a workbook."""

from collections.abc import Sequence
from datetime import date

from prefect import flow

from domain.problems import Problem
from flows.helping import in_words
from flows.tallies import show_run, told
from tasks import faces


@flow(name="report_paid_invoices", flow_run_name="report paid invoices for {profile}")
@in_words("report_paid_invoices", arguments="report_paid_invoices")
async def report_paid_invoices(
    *, profile: str = "local", plans: Sequence[str] = (), since: date | None = None, is_csv: bool = False
) -> tuple[str, list[Problem]]:
    """The file's path, and what a person should know about how it came to be.

    `since` is a day in São Paulo, by default the first of the month before this one; `plans` by default the settings'.
    """
    async with told(profile, "report-paid-invoices"):
        wanted = faces.plans(profile, plans)
        start = faces.window(profile, since)
        tallies = [await faces.mirror_paid(profile, plan, start) for plan in wanted]
        path = faces.write_paid(profile, wanted, start, is_csv=is_csv)
    await show_run(profile, "report-paid-invoices", tallies)
    return path, [remark for tally in tallies for remark in tally.remarks]
