"""The rows that a corrected row corrects: every row of its charge, with what its person wrote in it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connectors.ledger import files as ledger_files
from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import RowRecord
from connectors.ledger.sheets.row_families import members_of_families
from tasks.runtime import Runtime


@dataclass(frozen=True, slots=True)
class FormerRow:
    """A row of a charge that was corrected. `understood` is the column mapping of its reading."""

    row: RowRecord
    understood: Mapping[str, Any]

    def texts_of(self, field: str) -> list[str]:
        """Return the cells of a field. A row that was refused before it was typed has nothing else."""
        letters = [each["letter"] for each in self.understood.get("columns", ()) if each["field"] == field]
        return [str(self.row.cells.get(letter, "")) for letter in letters]


async def former_rows(runtime: Runtime, records: Iterable[RowRecord]) -> dict[int, Sequence[FormerRow]]:
    """Return the rows of each corrected row's charge by the corrected row's id, oldest first."""
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
    found: defaultdict[int, list[FormerRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda each: each.id):
        found[row.family].append(FormerRow(row, understood[row.reading_id]))
    return {record.id: found[families[record.follows_id or 0]] for record in corrected}
