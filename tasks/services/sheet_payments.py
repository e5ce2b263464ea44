"""Compare the rows of a sheet that we wrote from payments with what is to be billed when the rows are assembled.

A run may stop between the sheet and its invoices. Meanwhile the order service may no longer list a payment, as after a
refund, or otherwise, or a person may change the rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from connectors.ledger.rows import RowRecord
from domain.orders.billing import described
from domain.problems import Problem
from domain.texts import folded_charge
from tasks.issuance.repeats import place_problem
from tasks.orders.payments import MonthPayment, known_payments, rules_of
from tasks.runtime import Runtime


@dataclass(frozen=True, slots=True)
class SheetPayments:
    """The payments until the end of this month, by their keys in sheets."""

    payments: Mapping[str, MonthPayment]

    async def outdated(self, _runtime: Runtime, records: Sequence[RowRecord]) -> dict[int, Sequence[Problem]]:
        """Return the problem of each row that must not be billed as it is, by row id."""
        return {
            record.id: [place_problem(record, Problem("row.payment_changed"))]
            for record in records
            if not self._is_as_written(record.line or {})
        }

    def _is_as_written(self, line: Mapping[str, object]) -> bool:
        payment = self.payments.get(str(line.get("paid_invoice")))
        if payment is None or payment.rule is None:
            # A payment with an invoice is a repeat, which the station tells apart.
            return payment is not None and payment.status == "billed"
        rule = payment.rule
        texts = [folded_charge(str(line.get(name) or "")) for name in ("template_name", "description")]
        billed = [folded_charge(each) for each in (rule.template_name, described(rule, payment.invoice))]
        written = line.get("service_cents"), line.get("emitter_cnpj"), texts
        return written == (payment.invoice.total_cents, rule.emitter_cnpj, billed)


def sheet_payments(runtime: Runtime) -> SheetPayments | None:
    """Return the payments that a sheet's rows are compared with; None if the profile bills no payments."""
    rules = rules_of(runtime)
    return None if rules is None else SheetPayments({each.key: each for each in known_payments(runtime, rules)})
