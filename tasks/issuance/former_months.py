"""The months in which a corrected row was before: a row that moved to another month is still the same charge."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.row_families import members_of_families
from domain.competence import parse_competence
from tasks.runtime import Runtime


async def former_months(runtime: Runtime, records: Iterable[RowRecord]) -> dict[int, frozenset[date]]:
    """Return by id of each corrected row the other months in which its charge was before."""
    ledger = runtime.ledger
    corrected = [record for record in records if record.follows_id is not None]
    if not corrected:
        return {}
    follows = sorted({record.follows_id or 0 for record in corrected})
    families = {row.id: row.family for row in await ledger.read_async(ledger_rows.rows_by_ids, follows)}
    members = await ledger.read_async(members_of_families, set(families.values()))
    rows = await ledger.read_async(ledger_rows.rows_by_ids, sorted({each.row_id for each in members}))
    understood = {
        reading_id: (await ledger.read_async(ledger_files.reading_of, reading_id)).understood or {}
        for reading_id in sorted({row.reading_id for row in rows})
    }
    months: defaultdict[int, set[date]] = defaultdict(set)
    for row in rows:
        month = _month_of(row, understood[row.reading_id])
        if month is not None:
            months[row.family].add(month)
    found = {
        record.id: frozenset(months[families[record.follows_id or 0]] - {_month_of(record, {})}) for record in corrected
    }
    return {row_id: others for row_id, others in found.items() if others}


def _month_of(row: RowRecord, understood: Mapping[str, Any]) -> date | None:
    """Return the month of a row, or of the cell of a row that was refused before it was typed."""
    typed = (row.line or {}).get("competence")
    if typed is not None:
        return date.fromisoformat(typed)
    letters = [column["letter"] for column in understood.get("columns", ()) if column["field"] == "competence"]
    texts = [*(str(row.cells.get(letter, "")) for letter in letters), row.run_competence or ""]
    return next((month for text in texts if (month := parse_competence(text)) is not None), None)
