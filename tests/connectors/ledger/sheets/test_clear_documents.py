"""A clear document replaces the row's line together with its decision, and only while the row is read."""

from connectors.ledger import files, rows
from connectors.ledger.rows import NewRow
from connectors.ledger.sheets.clear_documents import store_documents
from domain.problems import Problem
from domain.states import RowState
from tests.connectors.ledger import scene as scenes


def test_lines_problems_and_decisions_are_stored_at_once(ledger):
    def story(conn):
        file = files.receive(conn, sha256="a" * 64, name="mes.xlsx", size_bytes=9, kind="services")
        reading = files.begin_reading(conn, file.id, operator="clerk", options={})
        news = [NewRow(sheet="S", row_number=n, cells={}, line={"n": n}) for n in (2, 3, 4)]
        scenes.store(conn, reading, news)
        first, second, third = (row.id for row in rows.rows_of(conn, reading))
        rows.refuse_rows(conn, {third: [Problem("row.superseded")]}, because="asked for otherwise")
        new: dict[int, dict[str, object]] = {first: {"n": 2, "text": "Não"}, third: {"n": 0}}
        store_documents(conn, reading, new, {second: [Problem("document.ambiguous", "document")]}, [{"kind": "filled"}])
        found = rows.rows_of(conn, reading)
        assert [row.state for row in found] == [RowState.READ, RowState.REFUSED, RowState.REFUSED]
        assert [row.line for row in found] == [{"n": 2, "text": "Não"}, {"n": 3}, {"n": 4}]
        assert [problem.code for row in found for problem in row.problems] == ["document.ambiguous", "row.superseded"]
        assert (files.reading_of(conn, reading).understood or {})["decisions"] == [{"kind": "filled"}]
        store_documents(conn, reading, {}, {}, [])
        assert rows.rows_of(conn, reading) == found

    ledger.write(story)
