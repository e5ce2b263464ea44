"""Find payments that became known after a month's closing, and charges of a closed month without an invoice."""

from collections import Counter
from collections.abc import Mapping
from datetime import date

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.closings import Closing, closed_months
from domain.money import format_brl
from domain.problems import Problem
from tasks.closing.figures import payments_in_month
from tasks.contracts import month as contracts
from tasks.frames import chunks, read_chunks
from tasks.orders import payments
from tasks.runtime import Context
from tasks.stations.gather import missed_problems


def late_problems(context: Context, closing: Closing) -> list[Problem]:
    """Return problems for payments that became known after the closing, and for unbilled charges of the month.

    Raises `SettingsError` for an invalid rule file.
    """
    paid = read_chunks(context, lambda pages: payments_in_month(chunks(pages, "paid_invoices"), closing.competence))
    late = paid[paid["id"] > closing.last_payment]
    found = []
    if len(late):
        billed = context.ledger.read(ledger_contracts.living_keys, set(late["business_key"]))
        total = format_brl(int(late["total_cents"].sum()))
        params: dict[str, str | int] = {"count": len(late), "total": total, "billed": len(billed)}
        found.append(Problem("closing.late_payments", params=params))
    counts, month = count_late_charges(context), closing.competence
    if counts["contracts"].get(month):
        found += contracts.missed_months(context, only=month)
    if count := counts["payments"].get(month):
        found += missed_problems(context, "payments", {month: count})
    return found


def count_late_charges(
    context: Context, *, is_paid_only: bool = False
) -> Mapping[ledger_contracts.Source, Mapping[date, int]]:
    """Return the number of charges without an invoice in each closed month, by source and month.

    `is_paid_only`: count payments only.

    Raises `SettingsError` for an invalid rule file.
    """
    closed = context.ledger.read(closed_months)
    rules = payments.rules_of(context)
    counted: dict[ledger_contracts.Source, dict[date, int]] = {
        "contracts": {} if is_paid_only else contracts.count_missed_charges(context),
        "payments": {} if rules is None else payments.count_missed_payments(context, rules),
    }
    return {
        source: Counter({month: count for month, count in missed.items() if month in closed})
        for source, missed in counted.items()
    }
