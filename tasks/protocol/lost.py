"""Rows that were billed after the copy from which the ledger was restored: all that is known of them is the note."""

from collections.abc import Iterable, Mapping
from typing import Final

from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger.backup.quarantine import BILLED, lost_charges, undecided_charges
from connectors.ledger.files import ReadingRecord
from connectors.ledger.parties import EmitterRecord, TakerRecord
from connectors.ledger.rows import RowRecord
from domain.keys import charge_key
from domain.problems import Problem
from domain.services import ServiceInvoice
from domain.states import InvoiceState
from tasks.protocol.hold import Disturbance, Hold
from tasks.protocol.repeats import placed
from tasks.runtime import Runtime

_SHOWN: Final = 5


async def lost_before(
    runtime: Runtime,
    reading: ReadingRecord,
    composed: Mapping[int, ServiceInvoice],
    by_id: Mapping[int, RowRecord],
    parties: tuple[Mapping[int, EmitterRecord], Mapping[int, TakerRecord]],
) -> dict[int, list[Problem]]:
    """Why rows of `composed` are held back: their emitter, month, taker and amount are those of such a note.

    More cannot be compared, so a row that only looks like it is held back as well, until a person allows repeats.
    """
    lost = await runtime.ledger.reading(lost_charges)
    if not lost or reading.options.get("allow_repeats"):
        return {}
    emitters, takers = parties
    held: dict[int, list[Problem]] = {}
    for row_id, invoice in composed.items():
        record = by_id[row_id]
        key = charge_key(
            emitter_cnpj=emitters[record.emitter_id or 0].cnpj,
            competence=invoice.competence,
            taker_document=takers[record.taker_id or 0].document,
            service_cents=invoice.amounts.service_cents,
        )
        if key in lost:
            serie, number = lost[key]
            held[row_id] = [
                placed(record, Problem("row.billed_before_loss", params={"serie": serie, "number": number}))
            ]
    return held


async def refuse_billed(hold: Hold) -> None:
    """Stop a batch of a restored ledger with notes to be posted that look like notes from after the copy.

    The copy knew its rows as not issued; the line may have taken them back and billed them in another batch since.
    Raises `Disturbance`, until a person has decided.
    """
    ledger = hold.runtime.ledger
    lost = await ledger.reading(undecided_charges, hold.batch.id)
    if not lost:
        return
    emitter = await ledger.reading(ledger_parties.emitter_of, hold.batch.emitter_id)
    waiting = await ledger.reading(ledger_invoices.invoices_of, hold.batch.id, states={InvoiceState.RESERVED})
    keys = (
        charge_key(
            emitter_cnpj=emitter.cnpj,
            competence=note.competence,
            taker_document=note.taker_document or "",
            service_cents=note.service_cents,
        )
        for note in waiting
    )
    stop_for(hold, (lost[key] for key in keys if key in lost))


def stop_for(hold: Hold, found: Iterable[tuple[str, int]]) -> None:
    """Raise `Disturbance` for what may be billed already, if anything: serie and number of each."""
    places = sorted(set(found))
    if places:
        more = " …" if len(places) > _SHOWN else ""
        shown = ", ".join(f"{serie}-{number}" for serie, number in places[:_SHOWN]) + more
        params: dict[str, str | int] = {"batch": hold.batch.id, "count": len(places), "numbers": shown}
        raise Disturbance(Problem(BILLED, params=params))
