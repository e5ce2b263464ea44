"""Write the payments that are due into sheets, which the stations bill like any dropped file.

The business key of each line is the plan and the number of the paid invoice, whatever rule or month it is billed by:
windows may overlap, two runs may start, and whoever gathers again finds the NFS-e of the first time.
"""

from collections.abc import Callable, Iterator
from datetime import date

from connectors.spreadsheets.payments import payments_sheet
from domain.competence import add_months, first_of_month
from domain.orders.billing import BillingRules
from tasks.payments.month import MonthPayment, late_since, months_since, payments_of_month, rules_of
from tasks.payments.payers import payers_of
from tasks.runtime import Context, OrdersRuntime
from tasks.stations.gather import keep_sheet, refuse_month, service_headers, unfinished_sheet

IsWanted = Callable[[MonthPayment], bool]


async def gather_payments(runtime: OrdersRuntime, *, competence: date | None, is_catching_up: bool) -> list[int]:
    """Write what was paid and not billed into sheets and return their ids in the ledger, oldest month first.

    Args:
        runtime: With the order service, which knows addresses, and the identity service.
        competence: First of the only month to bill. None means the present month, and of the one before it what a
            bank may have reported late.
        is_catching_up: Bill every month since the rules begin.

    Raises:
        FaturistaError: The month has not begun (`competence.future`), or it is closed (`closing.closed`).
    """
    rules = rules_of(runtime)
    if rules is None:
        return []
    found = [
        await _gather(runtime, rules, month, is_wanted)
        for month, is_wanted in _months(runtime, rules, competence, is_catching_up)
    ]
    return [file_id for file_id in found if file_id is not None]


def _months(
    context: Context,
    rules: BillingRules,
    competence: date | None,
    is_catching_up: bool,  # noqa: FBT001
) -> Iterator[tuple[date, IsWanted]]:
    current = first_of_month(context.today)
    if competence is not None:
        refuse_month(context, competence)
        yield competence, lambda _: True
        return
    late = late_since(context)
    for month in months_since(rules, current):
        if is_catching_up:
            yield month, lambda _: True
        elif month == add_months(current, -1):
            yield month, lambda payment: payment.paid_on >= late
    yield current, lambda _: True


async def _gather(runtime: OrdersRuntime, rules: BillingRules, competence: date, is_wanted: IsWanted) -> int | None:
    """Return the sheet of a month: one that stopped on the way, or a new one of what is due; None where nothing is."""
    unfinished = unfinished_sheet(runtime, competence, "payments")
    if unfinished is not None:
        return unfinished
    found = payments_of_month(runtime, rules, competence)
    due = [(each, each.rule) for each in found if each.rule is not None and is_wanted(each)]
    if not due:
        return None
    payers = await payers_of(runtime, [payment for payment, _ in due])
    lines = ((payment.invoice, rule, payer) for (payment, rule), payer in zip(due, payers, strict=True))
    content = payments_sheet(lines, service_headers())
    return keep_sheet(runtime, content, source="payments", competence=competence, count=len(due))
