"""What the provider's word for a product invoice means for ours."""

from collections.abc import Mapping
from typing import Final

from domain.states import InvoiceState

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
"""Without `error` and `not_sent`: whether the tax authority has such an invoice, or will, is not said anywhere. To take
them for rejected would allow a second invoice for the same sale."""


def invoice_state(status: str) -> InvoiceState | None:
    """Our state, or None where only a person can tell."""
    return _STATES.get(status)
