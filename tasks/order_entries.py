"""Expose the stations of orders, paid invoices and accounts as entries like those of `tasks.entries`."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from domain.station_result import StationResult
from tasks.orders import payments, reports, sync
from tasks.payments.payment_sheets import gather_payments
from tasks.records import reports as records_reports
from tasks.runtime import open_context
from tasks.runtime.order_opening import open_orders


async def gather_paid(profile: str, competence: date | None, *, is_catching_up: bool, is_by_clock: bool) -> list[int]:
    """Write paid invoices of orders into sheets. Return the ids of the files."""
    async with open_orders(profile) as runtime:
        return await gather_payments(
            runtime, competence=competence, is_catching_up=is_catching_up, is_by_clock=is_by_clock
        )


async def mirror_paid(profile: str, plan: str, since: datetime, again: datetime | None = None) -> StationResult:
    """Copy the invoices of one of the order service's plans that were paid since `since` into the ledger.

    Those paid since `again` are copied although the ledger has them: some may have been refunded.
    """
    async with open_orders(profile) as runtime:
        return await sync.mirror_paid_invoices(runtime, plan, since=since, again=again)


async def mirror_orders(profile: str, plan: str) -> StationResult:
    """Copy a plan's orders into the ledger."""
    async with open_orders(profile) as runtime:
        return await sync.mirror_orders(runtime, plan)


async def write_paid(profile: str, plans: Sequence[str], since: datetime, *, is_csv: bool) -> str:
    """Write the report on paid invoices. Return its path."""
    with open_context(profile) as context:
        return str(reports.report_paid_invoices(context, plans, since=since, is_csv=is_csv))


async def write_orders(profile: str, plans: Sequence[str], *, is_csv: bool) -> str:
    """Write the report on orders. Return its path."""
    with open_context(profile) as context:
        return str(reports.report_orders(context, plans, is_csv=is_csv))


async def write_adjustments(profile: str, plans: Sequence[str]) -> str:
    """Fetch the adjustments and discounts in force and write the report on them. Return its path."""
    return str(await records_reports.report_adjustments(profile, plans))


async def write_members(profile: str) -> str:
    """Fetch the accounts with their members and write the report on them. Return its path."""
    return str(await records_reports.report_members(profile))


def plans(profile: str, named: Sequence[str]) -> tuple[str, ...]:
    """Return the plans that a report covers."""
    with open_context(profile) as context:
        return reports.wanted_plans(context, named)


def plans_to_bill(profile: str) -> tuple[tuple[str, ...], datetime, datetime | None] | None:
    """Return the plans to bill, and the instants from which payments are billed and asked for again.

    None if the profile bills no payments.
    """
    with open_context(profile) as context:
        if (rules := payments.rules_of(context)) is None:
            return None
        since, again = payments.first_instant(rules.since), payments.refundable_since(context, rules)
        return payments.configured_plans(context, rules), since, again


def plans_with_unbilled_payments(profile: str) -> tuple[str, ...]:
    """Return the plans with a paid invoice without an NFS-e. The caller reads their orders, which name the customer."""
    with open_context(profile) as context:
        rules = payments.rules_of(context)
        return () if rules is None else payments.plans_with_unbilled_payments(context, rules)


def report_start(profile: str, since: date | None) -> datetime:
    """Return the first instant that a report covers."""
    with open_context(profile) as context:
        return reports.window_start(context, since)


REPEATABLE: Final = frozenset({mirror_paid, mirror_orders})
"""As `tasks.entries.REPEATABLE`: each continues after the last page that the ledger stored."""
