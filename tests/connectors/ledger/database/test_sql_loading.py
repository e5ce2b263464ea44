"""A bulk load stores many rows exactly, whatever their texts look like to a database."""

import pytest
import sqlalchemy as sa

from connectors.ledger import rows
from connectors.ledger.engine import Ledger
from connectors.ledger.rows import NewRow
from tests.connectors.ledger import scene as scenes

TEXTS = ["", "\\N", "\\.", "a\tb\nc\\d", "'\"{}[]", "ção ♥", "\u2028", "\x00"]


def news(count):
    """Yield rows with odd texts; a row's sheet always has a name, without a forbidden character."""
    for n in range(count):
        text = TEXTS[n % len(TEXTS)]
        yield NewRow(sheet=text.strip("\x00"), row_number=n, cells={"t": text}, line={"n": n, "t": text})


def test_many_rows_in_several_statements_are_stored_as_given(ledger):
    reading = ledger.write(scenes.add_reading)
    given = list(news(1_010))
    ledger.write(scenes.add_rows, reading, given)
    stored = ledger.read(rows.rows_of, reading)
    assert [(row.sheet, row.row_number, row.cells, row.line) for row in stored] == [
        (new.sheet, new.row_number, new.cells, new.line) for new in given
    ]
    assert (stored[0].business_key, stored[0].origin_id) == (None, None)
    scenes.assert_journal_tells_states(ledger)


@pytest.mark.parametrize("count", [1, 3])
def test_shared_values_are_stored_in_each_row(ledger, count):
    reading = ledger.write(scenes.add_reading)
    given = [NewRow(sheet="S", row_number=n, cells={"A": 1}, line=None, business_key="k") for n in range(count)]
    ledger.write(scenes.add_rows, reading, given)
    stored = ledger.read(rows.rows_of, reading)
    assert [(row.sheet, row.row_number, row.cells, row.line, row.business_key) for row in stored] == [
        ("S", n, {"A": 1}, None, "k") for n in range(count)
    ]


def test_json_is_stored_as_text_that_the_database_can_look_into(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(scenes.add_rows, reading, [NewRow(sheet="S", row_number=2, cells={"A": "ção"}, line={"cents": 7})])
    query = "SELECT cells, problems FROM rows WHERE line ->> 'cents' = '7'"
    if ledger.dialect == "sqlite":
        query = "SELECT cells, problems FROM rows WHERE line ->> 'cents' = 7 AND typeof(cells) = 'text'"
    found = ledger.read(lambda conn: [tuple(map(str, row)) for row in conn.execute(sa.text(query))])
    assert found in ([('{"A":"ção"}', "[]")], [("{'A': 'ção'}", "[]")])


def test_texts_keep_their_letters_in_any_locale(ledger_url, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with Ledger.open(ledger_url) as ledger:
        reading = ledger.write(scenes.add_reading)
        ledger.write(scenes.add_rows, reading, news(8))
        assert [row.cells["t"] for row in ledger.read(rows.rows_of, reading)] == TEXTS
