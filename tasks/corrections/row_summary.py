"""Summarise ledger rows, to compare them across files and readings."""

from collections.abc import Iterable, Mapping
from typing import Any

from connectors.ledger import files as ledger_files
from connectors.ledger.rows import RowRecord
from domain.corrections.row_matching import RowSummary
from tasks.runtime import Context
from tasks.sheets.kinds import kind_of


def summary_of(kind: str, understood: Mapping[str, Any], cells: Mapping[str, Any]) -> RowSummary:
    """Return a row's summary. `understood` is its reading's column mapping, `cells` are by column letter."""
    if not understood.get("columns"):
        return RowSummary()
    sheet_kind = kind_of(kind)
    seen = sheet_kind.summary_of_cells(understood, cells)
    return RowSummary(
        document=seen.taker_document,
        name=seen.taker_name,
        amount=seen.service_cents,
        description=seen.description,
        order=seen.subject if sheet_kind.has_orders else None,
    )


def understood_of(context: Context, rows: Iterable[RowRecord]) -> dict[int, Mapping[str, Any]]:
    """Return the column mapping of each of these rows' readings, by reading id."""
    readings = {row.reading_id for row in rows}
    return {each: context.ledger.read(ledger_files.reading_of, each).understood or {} for each in sorted(readings)}
