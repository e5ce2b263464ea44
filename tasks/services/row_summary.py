"""Summarise a row of a service sheet, readable or refused."""

from collections.abc import Mapping
from typing import Any

from connectors.ledger.rows import RowRecord
from connectors.spreadsheets.services import RowSummary, summarize
from domain.services.lines import ServiceLine


def summary_of_row(row: RowRecord, understood: Mapping[str, Any]) -> RowSummary:
    """Summarise a row's typed line, or what is readable in a refused row."""
    if row.line is None:
        return summarize(understood, row.cells)
    line = ServiceLine.from_json(row.line)
    return RowSummary(
        service_cents=line.service_cents,
        taker_name=line.taker.name,
        taker_document=line.taker.document.number if line.taker.document else line.unclear_document,
        subject=line.template_name,
        description=line.description,
        emitter_cnpj=line.emitter_cnpj,
        competence=line.competence,
    )
