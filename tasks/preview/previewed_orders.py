"""Preview the orders of a product sheet as billing would treat them, without writing."""

from dataclasses import replace

from connectors.ledger.files import ReadingRecord
from connectors.ledger.rows import Parties, RowRecord
from domain.states import RowState
from tasks.preview.planned_orders import product_note, remarks_about
from tasks.preview.previewed_rows import PreviewedRows, read_emitters_and_templates, readable_rows
from tasks.products.compose import compose_orders, group_orders
from tasks.products.issuer_search import find_issuers
from tasks.products.unclear_customers import clear_customers
from tasks.runtime import Runtime
from tasks.stations.read import FileRead


async def preview_orders(runtime: Runtime, reading: ReadingRecord, read: FileRead) -> PreviewedRows:
    """Preview all rows of a file together, because the rows of one order may lie anywhere in the sheet."""
    clear = await clear_customers(runtime, readable_rows(list(read.rows)), read.understood)
    read.rows.change(clear.lines, clear.bad)
    rows = list(read.rows)
    known = readable_rows(rows)
    good, unresolved = await find_issuers(runtime, known)
    resolved = {row.id: _resolve_row(row, good[row.id]) for row in known if row.id in good}
    groups = group_orders(list(resolved.values()))
    composed, bad = await compose_orders(runtime, reading, groups)
    emitters, _ = await read_emitters_and_templates(runtime)
    notes = [
        product_note(
            resolved[leader],
            emitters[resolved[leader].emitter_id or 0],
            competence=invoice.competence,
            cents=invoice.amounts.total_cents,
        )
        for leader, invoice in composed.items()
    ]
    problems = {**unresolved, **bad}
    problems |= {row.id: row.problems for row in rows if row.state is RowState.REFUSED}
    refused = [(row.row_number, problems[row.id]) for row in rows if row.id in problems]
    previewed = PreviewedRows(notes, refused, file_remarks=tuple(remarks_about(known)))
    previewed.remarks.take_all(clear.remarks)
    return previewed


def _resolve_row(row: RowRecord, parties: Parties) -> RowRecord:
    return replace(
        row,
        state=RowState.RESOLVED,
        emitter_id=parties.emitter_id,
        taker_id=parties.taker_id,
        template_id=parties.template_id,
    )
