"""Find the issued invoice that the options of a command name."""

from connectors.ledger.invoices import InvoiceRecord
from flows.arguments import parse_cnpj, parse_invoice_number
from tasks.cancellations.requests import find_invoice
from tasks.runtime import Context


def named_invoice(
    context: Context, *, rps: str | None, nfse: str | None, note: int | None, emitter: str | None
) -> InvoiceRecord:
    """Return the invoice of these options. Raises `FaturistaError` for none, or for several."""
    return find_invoice(
        context,
        rps=parse_invoice_number(rps),
        nfse=nfse,
        remote_id=note,
        emitter_cnpj=None if emitter is None else parse_cnpj(emitter),
    )
