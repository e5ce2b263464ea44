"""Find the issued invoices that rows replace, and the problems of those that cannot be replaced."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from connectors.ledger import cancellations as ledger_cancellations
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.rows import RowRecord
from domain.invoice_numbers import names_nfse, read_nfse, read_place
from domain.issuing.service_invoice import ServiceInvoice
from domain.problems import Problem
from domain.states import InvoiceState
from tasks.issuance.repeats import place_problem
from tasks.runtime import Runtime

_TYPES: Final = {"RPS": 1, "RPS-M": 2, "RPS-C": 3}
"""Wire types: one digit, where São Paulo's own invoices have a word (document 000, replacement and constants)."""
_ENDS: Final = {InvoiceState.REPLACED: "replace.done_before", InvoiceState.ACCEPTED: None}


async def find_replaced(
    runtime: Runtime, records: Sequence[RowRecord]
) -> tuple[dict[int, InvoiceRecord], dict[int, Sequence[Problem]]]:
    """Return the issued invoice that each row replaces, and the problems of the other rows, by row id."""
    found: dict[int, InvoiceRecord] = {}
    bad: dict[int, Sequence[Problem]] = {}
    for record in records:
        text = (record.line or {}).get("replaces") or ""
        if not text:
            continue
        place = read_place(text)
        outcome = await (_by_nfse(runtime, record, text) if place is None else _by_place(runtime, record, *place))
        if isinstance(outcome, Problem):
            bad[record.id] = [place_problem(record, outcome)]
        else:
            found[record.id] = outcome
    return found, bad


async def _by_nfse(runtime: Runtime, record: RowRecord, text: str) -> InvoiceRecord | Problem:
    """Find the invoice by the city's number. Refuse a bare number that is also the number of another RPS of ours."""
    number = read_nfse(text)
    if number is None:
        return Problem("replace.unreadable", "replaces", params={"text": text[:20]})
    params: dict[str, str | int] = {"number": number}
    bearers = await runtime.ledger.read_async(ledger_invoices.find_invoices, nfse_number=number)
    own = [each for each in bearers if each.emitter_id == record.emitter_id]
    if not names_nfse(text) and number.isdecimal():
        own += await runtime.ledger.read_async(
            ledger_invoices.find_invoices, emitter_id=record.emitter_id, number=int(number)
        )
    if len({each.id for each in own}) > 1:
        return Problem("replace.either", "replaces", params=params)
    if not own or own[0] not in bearers:
        return Problem("replace.other_emitters_nfse" if bearers else "replace.unknown_nfse", "replaces", params=params)
    return await _check_replaceable(runtime, own[0])


async def _by_place(runtime: Runtime, record: RowRecord, serie: str, number: int) -> InvoiceRecord | Problem:
    params: dict[str, str | int] = {"serie": serie, "number": number}
    bearers = await runtime.ledger.read_async(ledger_invoices.find_invoices, serie=serie, number=number)
    own = [each for each in bearers if each.emitter_id == record.emitter_id]
    if not own:
        return Problem("replace.other_emitter" if bearers else "replace.unknown", "replaces", params=params)
    # An emitter gives each number to one invoice only.
    return await _check_replaceable(runtime, own[0])


async def _check_replaceable(runtime: Runtime, invoice: InvoiceRecord) -> InvoiceRecord | Problem:
    """Return the invoice, or why it cannot be replaced."""
    params: dict[str, str | int] = {"serie": invoice.serie or "-", "number": invoice.number or 0}
    problem = replacement_problem(invoice)
    if problem is not None:
        return problem
    if not runtime.capabilities(invoice.issuer).can_replace:
        return Problem("replace.cannot", "replaces", params=params)
    cancellations = await runtime.ledger.read_async(ledger_cancellations.of_invoices, [invoice.id])
    if any(cancellation.ended_at is None for cancellation in cancellations):
        return Problem("replace.being_cancelled", "replaces", params=params)
    return invoice


def replacement_problem(invoice: InvoiceRecord) -> Problem | None:
    """Return why an invoice in this state cannot be replaced, or None."""
    code = _ENDS.get(invoice.state, "replace.not_issued")
    if code is None:
        return None
    params: dict[str, str | int] = {"serie": invoice.serie or "-", "number": invoice.number or 0}
    if invoice.state is not InvoiceState.REPLACED:
        params["state"] = invoice.state.value
    return Problem(code, "replaces", params=params)


def place_of(replaced: InvoiceRecord) -> Mapping[str, Any]:
    """Return the new invoice's reference to the replaced one."""
    kind = json.loads(replaced.content).get("rps_type")
    return {
        "serie": replaced.serie,
        "number": replaced.number,
        "rps_type": _TYPES.get(kind, 1) if isinstance(kind, str) else kind or 1,
    }


def without_replacements(composed: Mapping[int, ServiceInvoice]) -> dict[int, ServiceInvoice]:
    """Return the invoices that replace no other invoice."""
    return {row_id: invoice for row_id, invoice in composed.items() if invoice.replaces is None}
