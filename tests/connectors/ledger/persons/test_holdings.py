"""A person's rows are found by the document, however the sheet wrote it: as text, as a number, without its zeros."""

from typing import Any

import pytest

from connectors.ledger import files, rows
from connectors.ledger.persons.holdings import holdings_of
from connectors.ledger.rows import NewRow
from domain.documents import Document
from domain.problems import Problem
from tests.connectors.ledger import scene as scenes

PERSON, COMPANY = Document("cpf", "40773000100"), Document("cnpj", "00040773000100")
OTHER = Document("cnpj", "99000002000148")
_REFUSED = (Problem("amount.unreadable", "service_cents"),)


@pytest.mark.parametrize(
    ("cells", "line", "document"),
    [
        ({"A": "407.730.001-00"}, None, PERSON),
        ({"A": 40773000100, "B": True}, None, PERSON),
        ({"A": 99000002000148.0}, None, OTHER),
        ({"A": "99.000.002/0001-48"}, None, OTHER),
        ({}, {"taker": {"name": "Zyx"}, "unclear_document": "40773000100"}, PERSON),
        ({}, {"taker": {"name": "Zyx"}, "unclear_document": "40773000100"}, COMPANY),
    ],
)
def test_a_row_is_found_however_its_document_is_written(ledger, cells, line, document):
    def story(conn: Any) -> None:
        file = files.receive(conn, sha256="a" * 64, name="mes.xlsx", size_bytes=9, kind="services")
        reading = files.begin_reading(conn, file.id, operator="clerk", options={})
        news = [
            NewRow(sheet="S", row_number=2, cells=cells, line=line, problems=() if line else _REFUSED),
            NewRow(sheet="S", row_number=3, cells={"A": 99000003000192, "B": 7, "C": False}, problems=_REFUSED),
        ]
        scenes.store(conn, reading, news)
        first, _ = (row.id for row in rows.rows_of(conn, reading))
        assert holdings_of(conn, document).ids("rows") == [first]

    ledger.write(story)
