"""Find files that share charges: an original file, and each returned correction of it."""

from collections.abc import Sequence

from connectors.ledger.rows import RowOutcome, RowRecord
from connectors.ledger.sheets.row_families import corrected_families, rows_of_families
from tasks.runtime import Context


def corrected_files(context: Context, file_id: int) -> list[int]:
    """Return other files with rows that this file corrects, or with corrections of the same rows."""
    families = context.ledger.read(corrected_families, file_id)
    found = context.ledger.read(rows_of_families, families) if families else []
    return sorted({row.file_id for row in found} - {file_id})


def gone_elsewhere(context: Context, file_id: int, outcomes: Sequence[RowOutcome]) -> dict[int, RowRecord]:
    """Return, by family, the newest row that returned in another file; its outcome is the family's outcome."""
    families = {outcome.row.family for outcome in outcomes}
    newest = {row.family: row for row in context.ledger.read(rows_of_families, families)} if families else {}
    return {family: row for family, row in newest.items() if row.file_id != file_id}
