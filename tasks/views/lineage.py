"""Describe which invoice replaces which, and why."""

from collections.abc import Sequence

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import replacements as ledger_replacements
from connectors.ledger import rows as ledger_rows
from connectors.ledger.invoices import InvoiceRecord
from tasks.runtime import Context


def lineage(context: Context, invoices: Sequence[InvoiceRecord]) -> dict[int, list[str]]:
    """Return sentences about replaced and replacing invoices, by invoice id, for the invoices that have any."""
    words, ledger = context.catalogue, context.ledger
    found: dict[int, list[str]] = {}
    replacing = [each for each in invoices if each.replaces_id is not None]
    replaced_ids = [each.replaces_id for each in replacing if each.replaces_id is not None]
    replaced = {each.id: each for each in ledger.read(ledger_invoices.invoices_by_ids, replaced_ids)}
    rows = ledger.read(ledger_rows.rows_by_ids, [each.row_id for each in replacing])
    lines = {row.id: row.line or {} for row in rows}
    for each in replacing:
        old = replaced[each.replaces_id or 0]
        why = lines[each.row_id].get("replaces_because", "-")
        to = {"old_serie": old.serie or "-", "old_number": old.number or "-"}
        found.setdefault(each.id, []).append(words.text("trace.replaces", **_number_params(each), **to, reason=why))
    successors = ledger.read(ledger_replacements.successors, [each.id for each in invoices])
    for each in invoices:
        new = successors.get(each.id)
        if new is not None:
            state = words.text(f"state.invoice.{new.state.value}")
            to = {"new_serie": new.serie or "-", "new_number": new.number or "-"}
            found.setdefault(each.id, []).append(
                words.text("trace.replaced_by", **_number_params(each), **to, state=state)
            )
    return found


def _number_params(invoice: InvoiceRecord) -> dict[str, str | int]:
    return {"serie": invoice.serie or "-", "number": invoice.number or "-"}
