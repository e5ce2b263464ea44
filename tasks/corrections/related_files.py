"""Find files that share rows: an original file, and each file that corrects it.

A family of rows is a row and all its corrections."""

from collections.abc import Sequence

from connectors.ledger.rows import RowOutcome, RowRecord, rows_by_ids
from connectors.ledger.sheets.row_families import corrected_families, members_of_families, newest_members
from tasks.runtime import Context


def corrected_files(context: Context, file_id: int) -> list[int]:
    """Return other files with rows that this file corrects, or with corrections of the same rows."""
    families = context.ledger.read(corrected_families, file_id)
    found = context.ledger.read(members_of_families, families) if families else []
    return sorted({each.file_id for each in found} - {file_id})


def corrected_in_other_files(context: Context, file_id: int, outcomes: Sequence[RowOutcome]) -> dict[int, RowRecord]:
    """Return the newest row of each family that is in another file, by family: its outcome counts for the family."""
    families = {outcome.row.family for outcome in outcomes}
    newest = context.ledger.read(newest_members, families) if families else {}
    others = [each.row_id for each in newest.values() if each.file_id != file_id]
    return {row.family: row for row in context.ledger.read(rows_by_ids, others)} if others else {}
