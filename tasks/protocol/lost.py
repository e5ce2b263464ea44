"""Rows that were billed after the copy from which the ledger was restored: all that is known of them is the note."""

from collections.abc import Mapping

from connectors.ledger.files import ReadingRecord
from connectors.ledger.keeping.quarantine import lost_charges
from connectors.ledger.parties import EmitterRecord, TakerRecord
from connectors.ledger.rows import RowRecord
from domain.keys import charge_key
from domain.problems import Problem
from domain.services import ServiceInvoice
from tasks.protocol.repeats import placed
from tasks.runtime import Runtime


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
