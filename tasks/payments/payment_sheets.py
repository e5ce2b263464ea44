"""Write due payments into sheets, which the stations bill like any dropped file."""

from collections.abc import Iterator, Sequence
from datetime import date

from configs.layouts import headers_of
from connectors.ledger.closings import closed_months
from connectors.spreadsheets.writers.payments import payments_sheet
from domain.competence import first_of_month
from domain.orders.billing import BillingRules
from tasks.orders.payments import MonthPayment, first_reportable_day, missed_payments, payments_of_month, rules_of
from tasks.payments.payers import payers_of
from tasks.runtime import SERVICES, Context
from tasks.runtime.order_opening import OrdersRuntime
from tasks.stations.gather import archive_sheet, months_to_gather, sheets_to_read, unfinished_sheet


async def gather_payments(
    runtime: OrdersRuntime, *, competence: date | None, is_catching_up: bool, is_by_clock: bool = False
) -> list[int]:
    """Write unbilled payments into sheets. Return the sheets' ids, oldest month first.

    Args:
        runtime: Has the order service, which knows addresses, and the identity service.
        competence: First day of the only month to bill. None: the present month, and payments of the
            previous month that a bank may have reported late.
        is_catching_up: Bill every month since the rules begin; bill closed months' payments in the present month.
        is_by_clock: As in `sheets_to_read`.

    Raises:
        FaturistaError: The month has not begun (`competence.future`), or it is closed (`closing.closed`).
    """
    rules = rules_of(runtime)
    if rules is None:
        return []
    missed = {each.invoice.month for each in missed_payments(runtime, rules)} if is_catching_up else set()
    found = []
    for month, only_late in months_to_gather(runtime, competence, missed, is_catching_up=is_catching_up):
        file_id = unfinished_sheet(runtime, month, "payments")
        due = list(_due_payments(runtime, rules, month, only_late=only_late)) if file_id is None else []
        if file_id is None and is_catching_up and month == first_of_month(runtime.today):
            due = [*_missed_payments(runtime, rules), *due]
        found.append(await _write_sheet(runtime, month, due) if due else file_id)
    return sheets_to_read(runtime, found, is_by_clock=is_by_clock)


def _due_payments(context: Context, rules: BillingRules, month: date, *, only_late: bool) -> Iterator[MonthPayment]:
    late = first_reportable_day(context)
    for each in payments_of_month(context, rules, month):
        if each.status == "due" and (not only_late or each.paid_on >= late):
            yield each


def _missed_payments(context: Context, rules: BillingRules) -> Iterator[MonthPayment]:
    """Yield payments of closed months without an NFS-e."""
    closed = context.ledger.read(closed_months)
    return (each for each in missed_payments(context, rules) if each.invoice.month in closed)


async def _write_sheet(runtime: OrdersRuntime, month: date, due: Sequence[MonthPayment]) -> int:
    payers = await payers_of(runtime, due)
    lines = [(each.invoice, each.rule, payer) for each, payer in zip(due, payers, strict=True) if each.rule is not None]
    content = payments_sheet(lines, headers_of(SERVICES), competence=month)
    return archive_sheet(runtime, content, source="payments", competence=month, count=len(lines))
