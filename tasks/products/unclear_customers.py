"""Complete customers' documents that lost zeros in a sheet of orders. Refuse an order whose document stays unclear."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from connectors.ledger.rows import RowRecord
from domain.problems import Problem
from tasks.issuance.document_completion import ClearDocuments, clear_documents
from tasks.products.compose import group_orders, problems_by_row
from tasks.runtime import Runtime


async def clear_customers(
    runtime: Runtime, records: Sequence[RowRecord], understood: Mapping[str, Any]
) -> ClearDocuments:
    """Complete unclear documents as `clear_documents` does. A problem of one row goes to all rows of its order."""
    found = await clear_documents(runtime, records, understood)
    if not found.bad:
        return found
    bad: dict[int, Sequence[Problem]] = {}
    for group in group_orders(records).values():
        problems = [problem for row in group for problem in found.bad.get(row.id, ())]
        bad |= problems_by_row(group, problems) if problems else {}
    lines = {row_id: line for row_id, line in found.lines.items() if row_id not in bad}
    kept = {row.row_number for row in records if row.id in lines}
    return replace(found, lines=lines, bad=bad, remarks=[each for each in found.remarks if each.where.row in kept])
