"""Find billed payments about which the order service says something else now."""

from collections.abc import Iterator
from datetime import date

from connectors.ledger import contracts as ledger_contracts
from connectors.ledger.mirror.discrepancies import clashes_of
from domain.orders.billing import key_of_payment, payment_key
from domain.problems import Problem
from domain.texts import count_and_first
from tasks.runtime import Context


def contradicted_payments(context: Context, competence: date | None = None) -> Iterator[Problem]:
    """Yield problems for billed payments that the order service no longer lists (a refund), or lists otherwise.

    `competence` is the month of their invoices; without it they may be of any month.
    """
    clashes = {
        key_of_payment(each.plan_slug, each.number): each
        for each in context.ledger.read(clashes_of, None, "paid_invoices")
    }
    billed = context.ledger.read(ledger_contracts.living_keys, clashes, competence=competence) if clashes else {}
    for code, is_listed in (("payment.refunded", False), ("payment.contradicted", True)):
        found = [each for key, each in clashes.items() if key in billed and bool(each.theirs) == is_listed]
        if found:
            yield Problem(code, params=count_and_first([payment_key(each.plan_slug, each.number) for each in found]))
