"""The commands `bill-month`, `bill-paid` and `month`: bill what is due, and see how far a month is."""

import asyncio
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from connectors.ledger import batches as ledger_batches
from domain.competence import first_of_month, format_competence
from domain.problems import Problem, SettingsError
from domain.staff import Permission
from flows.arguments import Profile, console, parse_month
from flows.authentication import acting_name
from flows.monthly_billing import monthly_billing
from flows.orchestrator import run_flow, start_notice
from flows.page_screen import show_page
from flows.progress import show_progress
from tasks.closing.checklist import month_page
from tasks.closing.late import count_late_charges
from tasks.orders.payments import rules_of
from tasks.preview.page import forecast_page
from tasks.preview.stored_forecast import forecast_reading
from tasks.runtime import Context, open_context


def bill_month(competence: str | None = None, *, catch_up: bool = False, profile: Profile = "local") -> None:
    """Get the invoices of contracts that are due ready for approval, and continue whatever stopped."""
    _bill(competence, catch_up=catch_up, paid_only=False, profile=profile)


def bill_paid(competence: str | None = None, *, catch_up: bool = False, profile: Profile = "local") -> None:
    """Get the invoices of what orders were paid ready for approval, by the rule file, and continue whatever stopped."""
    with open_context(profile) as context:
        if rules_of(context) is None:
            raise SettingsError(Problem("rules.none"))
    _bill(competence, catch_up=catch_up, paid_only=True, profile=profile)


def _bill(competence: str | None, *, catch_up: bool, paid_only: bool, profile: str) -> None:
    asked = _month(competence)
    with open_context(profile) as context:
        words, home = context.catalogue, Path(context.settings.paths.home)
        operator = acting_name(context, Permission.BILL)
        if catch_up and asked is None:
            _show_late(context, is_paid_only=paid_only)
    console.print(start_notice(words))
    with show_progress(console, profile, title=words.text("progress.reading")):
        readings = run_flow(
            monthly_billing,
            home,
            profile=profile,
            competence=asked,
            catch_up=catch_up,
            paid_only=paid_only,
            operator=operator,
        )
    for reading in readings:
        _show_preview(profile, reading)
    if not readings:
        console.print(words.text("month.nothing_due"))
    for each in _months(readings, asked, profile):
        _show(each, profile)


def _months(readings: Sequence[int], asked: date | None, profile: str) -> list[date]:
    """Return the requested month (default: the present one) and the months that the readings billed, oldest first."""
    with open_context(profile) as context:
        found = [context.ledger.read(ledger_batches.batches_where, reading_id=reading) for reading in readings]
        return sorted({asked or first_of_month(context.today), *(batch.competence for each in found for batch in each)})


def _show_late(context: Context, *, is_paid_only: bool) -> None:
    """Show how many charges of closed months are billed in the present month."""
    for missed in count_late_charges(context, is_paid_only=is_paid_only).values():
        for late, count in sorted(missed.items()):
            params = {"count": count, "month": format_competence(late), "current": format_competence(context.today)}
            console.print(context.catalogue.text("month.late_billed", **params))


def month_(competence: str | None = None, *, profile: Profile = "local") -> None:
    """Show the checklist of a month: what is done, what waits for whom and since when."""
    _show(_month(competence), profile)


def _month(text: str | None) -> date | None:
    return None if text is None else parse_month(text)


def _show_preview(profile: str, reading: int) -> None:
    """Show the staged invoices beside those of the months before, and the returned rows."""
    with open_context(profile) as context:
        seen = asyncio.run(forecast_reading(context, reading))
        show_page(console, forecast_page(context.catalogue, seen))


def _show(competence: date | None, profile: str) -> None:
    with open_context(profile) as context:
        show_page(console, month_page(context, competence))
