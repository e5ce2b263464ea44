"""A row is recognised from the ledger's data, readable or refused."""

import json
from collections.abc import Mapping
from typing import Any

from connectors.spreadsheets.row_summaries import RowSummary, summarize
from tests.connectors.spreadsheets.books import RIO, read
from tests.connectors.spreadsheets.test_services import HEAD, rows_of


def summary(understood: Mapping[str, Any], row_cells: Mapping[str, Any]) -> RowSummary:
    return summarize(understood, row_cells, amount="service_cents", subject="template_name")


def test_a_refused_row_can_still_be_recognised() -> None:
    reading = read(
        [[*HEAD, "CNPJ Emitente", "Descrição"], ["1", "Ana", "M", "R$ 1.234,56", "99.000.001/0001-01", None]]
    )
    (row,) = rows_of(reading)
    seen = summary(*json.loads(json.dumps([reading.understood.to_json(), dict(row.cells)])))
    assert (seen.service_cents, seen.taker_name, seen.taker_document) == (123_456, "Ana", "1")
    assert (seen.subject, seen.emitter_cnpj, seen.description) == ("M", RIO, None)
    reading = read([HEAD, ["x", "Ana", "M", 1_000.0]])
    (row,) = rows_of(reading)
    assert summary(reading.understood.to_json(), row.cells).service_cents == 100_000
    assert summary(reading.understood.to_json(), row.cells).emitter_cnpj == RIO
    assert summary({"columns": []}, row.cells).service_cents is None
