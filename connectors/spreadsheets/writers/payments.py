"""Write paid order invoices as a services sheet, which the usual stations read."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from connectors.spreadsheets.writers.charges import amount_text, sheet_of
from domain.competence import format_competence
from domain.documents import Document
from domain.orders.billing import PlanRule, described, payment_key
from domain.orders.paid_invoices import PaidInvoice

PAYER_FIELDS: Final = (
    "document",
    "name",
    "emails",
    "street",
    "number",
    "complement",
    "neighborhood",
    "city",
    "state",
    "zip_code",
)
"""Fields of the customer, by their names in a services sheet."""
FIELDS: Final = (
    "paid_invoice",
    "emitter_cnpj",
    *PAYER_FIELDS,
    "template_name",
    "competence",
    "service_cents",
    "description",
)
Payment = tuple[PaidInvoice, PlanRule, Mapping[str, str]]
"""The paid invoice, the rule that bills it, and the customer by field."""


def payments_sheet(payments: Iterable[Payment], headers: Mapping[str, str], *, competence: date) -> bytes:
    """Return a CSV with one line for each payment; equal payments give equal bytes.

    `headers` by field; `competence` is the first day of the month in which all are billed.
    """
    return sheet_of((_line(*each, competence) for each in payments), FIELDS, headers)


def _line(invoice: PaidInvoice, rule: PlanRule, payer: Mapping[str, str], competence: date) -> dict[str, str]:
    return {
        **payer,
        "paid_invoice": payment_key(invoice.plan_slug, invoice.number),
        "emitter_cnpj": Document("cnpj", rule.emitter_cnpj).formatted,
        "template_name": rule.template_name,
        "competence": format_competence(competence),
        "service_cents": amount_text(invoice.total_cents),
        "description": described(rule, invoice),
    }
