"""Convert the provider's answers about product invoices into the issuer port's terms."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from connectors.http.wire_values import bare_document
from domain import money
from domain.products.shops import SIMPLE_NATIONAL
from domain.states import InvoiceState
from domain.texts import folded

_STATES: Final[Mapping[str, InvoiceState]] = {
    "processing": InvoiceState.PROCESSING,
    "succeeded": InvoiceState.ACCEPTED,
    "corrected": InvoiceState.ACCEPTED,
    "cancel_rejected": InvoiceState.ACCEPTED,
    "correction_rejected": InvoiceState.ACCEPTED,
    "rejected": InvoiceState.REJECTED,
    "denegated": InvoiceState.REJECTED,
    "cancelled": InvoiceState.CANCELLED,
}
"""Our state by the provider's status.

`error` and `not_sent` are missing: after them the tax authority may still have or get such an invoice. Reading them as
rejected would allow a second invoice for the same sale.
"""
_NUMBER_EXISTS: Final = re.compile(r"^(?:rejeicao\W{0,3})?(?:204|539)\b|duplicidade de nf")


def invoice_state(status: str) -> InvoiceState | None:
    """Return our state for the provider's status, or None if only a person can decide it."""
    return _STATES.get(status)


def is_number_taken(errors: Iterable[str]) -> bool:
    """Return whether the tax authority rejected an invoice because another has its number (204, 539)."""
    return any(_NUMBER_EXISTS.search(folded(text)) for text in errors)


def regime_of(text: str | None) -> int | None:
    """Return an organization's tax regime from its digit or label: 1, 2 or 3 as in `Shop.tax_regime`.

    None for anything else: never guess a regime.
    """
    label = folded(text or "")
    if label in ("1", "2", "3"):
        return int(label)
    if label in ("regime normal", "normal"):
        return 3
    if "simples nacional" not in label:
        return None
    return 2 if "sublimite" in label or "excesso" in label else SIMPLE_NATIONAL


def sale_in_answer(content: Any, *, is_counter_sale: bool = False) -> tuple[str, int] | None:
    """Return the customer's bare document and the cents paid from the provider's copy of an invoice [A 2.5].

    None if the copy lacks them; the customer of a counter sale may be unnamed. The pair equals
    `domain.products.keys.sale_of` of the canonical invoice.
    """
    try:
        is_unnamed = is_counter_sale and not content.get("cliente")
        document = "" if is_unnamed else bare_document(content["cliente"]["cpf_cnpj"]) or ""
        cents = sum(money.from_wire(each["valor_do_pagamento"]) for each in content["forma_de_pagamento"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return (document, cents) if (document or is_unnamed) and cents else None
