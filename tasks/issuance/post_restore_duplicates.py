"""Stop batches of a restored ledger whose invoices may have been issued after the backup."""

import json
from dataclasses import replace
from typing import Final

from connectors.ledger import files as ledger_files
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup.restorations import BILLED, undecided_charges
from connectors.ledger.invoices import InvoiceRecord
from domain.problems import Problem
from domain.products.keys import sale_of
from domain.states import InvoiceState
from tasks.issuance.batch_lease import Disturbance, LeasedBatch
from tasks.issuance.lost_charges import ChargeFacts, issued_place, today_of

_SHOWN: Final = 5


async def stop_if_billed(leased: LeasedBatch) -> None:
    """Raise `Disturbance` if reserved invoices of a batch resemble invoices from after the backup.

    In the backup its rows are not issued; after it, we may have discarded the batch and billed them in another one. Do
    nothing once a person has decided about the batch.
    """
    runtime, ledger = leased.runtime, leased.runtime.ledger
    lost = await ledger.read_async(undecided_charges, leased.batch.id)
    if not lost:
        return
    today = await today_of(runtime)
    cnpj = (await ledger.read_async(ledger_parties.emitter_of, leased.batch.emitter_id)).cnpj
    waiting = await ledger.read_async(ledger_invoices.invoices_of, leased.batch.id, states={InvoiceState.RESERVED})
    reading = await ledger.read_async(ledger_files.reading_of, leased.batch.reading_id)
    is_ours = bool(reading.options.get("is_of_contracts"))
    charges = [replace(_charge_of(note, cnpj), is_ours=is_ours) for note in waiting]
    found = {issued_place(runtime, lost, charge, today) for charge in charges}
    places = sorted(place for place in found if place is not None)
    if places:
        more = " …" if len(places) > _SHOWN else ""
        shown = ", ".join(f"{serie}-{number}" for serie, number in places[:_SHOWN]) + more
        params: dict[str, str | int] = {"batch": leased.batch.id, "count": len(places), "numbers": shown}
        raise Disturbance(Problem(BILLED, params=params))


def _charge_of(note: InvoiceRecord, cnpj: str) -> ChargeFacts:
    """Return what identifies an invoice's charge; `cnpj` is its emitter's.

    If the ledger has no customer document for it, take the document and the amount from its content, a sale.
    """
    document, cents = note.taker_document, note.service_cents
    if document is None:
        sale = sale_of(json.loads(note.content))
        assert sale is not None
        document, cents = sale
    return ChargeFacts(issuer=note.issuer, cnpj=cnpj, competence=note.competence, document=document, cents=cents)
