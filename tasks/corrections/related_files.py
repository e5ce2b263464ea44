"""Files that share charges: the one that was sent, and each correction of it that came back."""

from collections.abc import Sequence

from connectors.ledger import rows as ledger_rows
from connectors.ledger.rows import RowOutcome, RowRecord
from connectors.ledger.sheets.row_families import rows_of_families
from tasks.runtime import Context


def corrected_files(context: Context, file_id: int) -> list[int]:
    """Other files that have rows which this one corrects, or corrections of the same ones."""
    outcomes = context.ledger.read(ledger_rows.newest_rows, file_id)
    families = {outcome.row.family for outcome in outcomes if outcome.row.follows_id is not None}
    found = context.ledger.read(rows_of_families, families) if families else []
    return sorted({row.file_id for row in found} - {file_id})


def gone_elsewhere(context: Context, file_id: int, outcomes: Sequence[RowOutcome]) -> dict[int, RowRecord]:
    """Return, by family, the newest row that came back in another file; that row tells what became of them."""
    families = {outcome.row.family for outcome in outcomes}
    newest = {row.family: row for row in context.ledger.read(rows_of_families, families)} if families else {}
    return {family: row for family, row in newest.items() if row.file_id != file_id}
