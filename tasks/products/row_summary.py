"""Summarise a row of a product sheet, readable or refused."""

from collections.abc import Mapping
from typing import Any

from connectors.ledger.rows import RowRecord
from connectors.spreadsheets import products
from connectors.spreadsheets.services import RowSummary
from domain.products.arithmetic import line_cents
from domain.products.lines import ProductLine


def summary_of_line(row: RowRecord, understood: Mapping[str, Any]) -> RowSummary:
    """Summarise a row's typed line, or what is readable in a refused row. A typed line's amount is before discounts."""
    if row.line is None:
        return products.summarize(understood, row.cells)
    line = ProductLine.from_json(row.line)
    return RowSummary(
        service_cents=line_cents(line.quantity, line.unit_price),
        taker_name=line.taker.name,
        taker_document=line.taker.document.number if line.taker.document else line.unclear_document,
        subject=line.order_key,
        description=line.description,
        emitter_cnpj=line.emitter_cnpj,
        competence=line.competence,
    )
