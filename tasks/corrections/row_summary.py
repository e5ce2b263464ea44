"""What rows of the ledger say of themselves, for comparing them across files and readings."""

from collections.abc import Iterable, Mapping
from typing import Any

from connectors.ledger import files as ledger_files
from connectors.ledger.rows import RowRecord
from domain.corrections.row_matching import Said
from tasks.runtime import Context
from tasks.sheets.kinds import kind_of


def said_by(kind: str, understood: Mapping[str, Any], cells: Mapping[str, Any]) -> Said:
    """Return a row's summary from what a reading understood of its sheet and the row's cells by column letter."""
    if not understood.get("columns"):
        return Said()
    sheet_kind = kind_of(kind)
    seen = sheet_kind.glance(understood, cells)
    return Said(
        document=seen.taker_document,
        name=seen.taker_name,
        amount=seen.service_cents,
        description=seen.description,
        order=seen.subject if sheet_kind.has_orders else None,
    )


def understood_of(context: Context, rows: Iterable[RowRecord]) -> dict[int, Mapping[str, Any]]:
    """Return what each reading of these rows understood of its sheet, by reading id."""
    readings = {row.reading_id for row in rows}
    return {each: context.ledger.read(ledger_files.reading_of, each).understood or {} for each in sorted(readings)}
