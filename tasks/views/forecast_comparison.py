"""Compare a forecast with the ledger's invoices and with the provider's customers."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from connectors.ledger import parties as ledger_parties
from connectors.ledger.observations.months import billed_in
from connectors.ledger.parties import TakerRecord
from connectors.ledger.rows import RowRecord
from domain.forecasts.forecast import MappedColumn
from domain.forecasts.month_comparison import MonthComparison, compare_months
from domain.forecasts.planned_invoices import Difference, PlannedNote, differences
from domain.parties import TakerData
from tasks.approvals.charged_months import charged_customers, months_to_compare
from tasks.runtime import Context


async def compare_with_ledger(
    context: Context,
    notes: Sequence[PlannedNote],
    *,
    left_customers: Callable[[], Collection[str]],
    leaving_out: Collection[int] = (),
) -> MonthComparison:
    """Compare the months of `notes` with the ledger's invoices of these months and of the two months before.

    `leaving_out` are the ledger ids of `notes` themselves, which must not count twice. `left_customers` returns the
    customers' documents of rows without an invoice: these customers do not count as missing.
    """
    known = await context.ledger.read_async(ledger_parties.emitters_all)
    emitters: dict[tuple[str, str], int] = {(each.kind, each.cnpj): each.id for each in known}
    wanted = {emitters[note.kind, note.emitter_cnpj] for note in notes}
    months = {note.competence for note in notes}
    billed = await context.ledger.read_async(billed_in, wanted, months_to_compare(months), leaving_out=leaving_out)
    return await asyncio.to_thread(
        compare_months,
        notes,
        billed,
        unusual_bp=context.settings.preview.unusual_percent * 100,
        charged=await asyncio.to_thread(charged_customers, context, months),
        left_customers=left_customers,
    )


async def master_differences(context: Context, rows: Iterable[RowRecord]) -> tuple[Difference, ...]:
    """Return the differences between service rows and the provider's last known taker data, each once."""
    rows = [row for row in rows if row.taker_id is not None and row.taker_id > 0]
    takers = await context.ledger.read_async(ledger_parties.takers_by_ids, {row.taker_id or 0 for row in rows})
    found: dict[tuple[str, str, str], Difference] = {}
    for row in rows:
        for each in _differences_of(row, takers[row.taker_id or 0]):
            found.setdefault((each.document, each.field, each.sheet_says), each)
    return tuple(found.values())


def _differences_of(row: RowRecord, taker: TakerRecord) -> list[Difference]:
    ours = TakerData.from_json((row.line or {})["taker"])
    return differences(ours, TakerData.from_json(taker.body), row_number=row.row_number)


def mapped_columns(understood: Mapping[str, Any]) -> tuple[MappedColumn, ...]:
    """Return every column that has a header, with the field that it fills, in the sheet's order."""
    used = [MappedColumn(each["letter"], each["header"], each["field"]) for each in understood.get("columns", ())]
    unused = [MappedColumn(letter, header, None) for letter, header in understood.get("unused", {}).items()]
    return tuple(sorted(used + unused, key=lambda column: (len(column.letter), column.letter)))
