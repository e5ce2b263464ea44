"""Build the part of a month's checklist about paid invoices: billed, to be billed, not billed and why."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from connectors.spreadsheets.writers.pages import Cell, Cents, Section
from domain.problems import FaturistaError
from tasks.orders.payments import MonthPayment, count_missed_payments, payments_of_month, rules_of
from tasks.runtime import Context
from tasks.stations.gather import missed_problems
from tasks.views.contradicted_payments import contradicted_payments

_STEPS: Final = ("billed", "cancelled", "due", "free", "unknown")


@dataclass(frozen=True, slots=True)
class PaidMonth:
    """The payments of a month, and sentences about problems for a person. Empty if the profile bills no payments."""

    payments: Sequence[MonthPayment] = ()
    alarms: Sequence[str] = ()

    @property
    def is_done(self) -> bool:
        """Return whether nothing is left to bill."""
        return not self.alarms and all(each.status in ("billed", "cancelled", "free") for each in self.payments)


def paid_month(context: Context, competence: date) -> PaidMonth:
    """Return the paid invoices of a month, or only the mistake in the rule file."""
    words = context.catalogue
    try:
        rules = rules_of(context)
        if rules is None:
            return PaidMonth()
        payments = payments_of_month(context, rules, competence)
        missed = count_missed_payments(context, rules)
    except FaturistaError as error:
        return PaidMonth(alarms=tuple(words.explain(error)))
    problems = [*missed_problems(context, "payments", missed), *contradicted_payments(context)]
    return PaidMonth(payments, tuple(words.say(problem) for problem in problems))


def paid_sections(context: Context, month: PaidMonth) -> tuple[Section, ...]:
    """Return the sums by status, and each reason why payments cannot be billed; no section without payments."""
    words = context.catalogue
    if not month.payments:
        return ()
    rows: list[tuple[Cell, ...]] = []
    for step in _STEPS:
        found = [each.invoice.total_cents for each in month.payments if each.status == step]
        if found:
            rows.append((words.text(f"payments.{step}"), len(found), Cents(sum(found))))
    headings = tuple(words.text(f"heading.{name}") for name in ("status", "count", "total"))
    sums = Section(words.text("month.payments"), headings, rows)
    reasons = Counter(
        (each.invoice.plan_slug, words.say(each.problem)) for each in month.payments if each.problem is not None
    )
    unknown: list[tuple[Cell, ...]] = [(plan, count, reason) for (plan, reason), count in reasons.items()]
    headings = tuple(words.text(f"heading.{name}") for name in ("plan", "count", "reason"))
    return (sums, Section(words.text("month.unbilled_payments"), headings, unknown))
