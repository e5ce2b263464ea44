"""Rows that are inserted or updated by their key, with a statement that is compiled once."""

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import CacheStats

from connectors.ledger import tables
from connectors.ledger.database.sql import now
from connectors.ledger.database.upserts import NOW, upsert
from connectors.ledger.engine import Ledger

_t = tables.takers


def taker(**changes):
    line = {"issuer": "nfse", "document": "99000001000101", "remote_id": 7, "name": "Ana; 'R$'", "is_complete": False}
    return line | {"body": {"city": None, "lines": ["x"]}, "looked_at": NOW} | changes


def put(conn, /, **changes):
    return upsert(conn, _t, ["issuer", "document"], taker(**changes))


def held(conn):
    return conn.execute(sa.select(_t).order_by(_t.c.id)).mappings().all()


def test_the_same_key_is_the_same_row(ledger):
    before = ledger.read(now)
    first, again = ledger.write(put), ledger.write(put, name="Bia", body={}, is_complete=True)
    assert first == again
    (row,) = ledger.read(held)
    assert (row["name"], row["body"], row["is_complete"], row["remote_id"]) == ("Bia", {}, True, 7)
    assert before <= row["looked_at"] <= ledger.read(now)


def test_another_key_is_another_row(ledger):
    ids = [ledger.write(put), ledger.write(put, document="99000002000101", name="Bia")]
    rows = ledger.read(held)
    assert [(row["id"], row["name"]) for row in rows] == [(ids[0], "Ana; 'R$'"), (ids[1], "Bia")]
    assert rows[0]["body"] == {"city": None, "lines": ["x"]}
    assert rows[0]["looked_at"] <= rows[1]["looked_at"]


def test_a_second_ledger_runs_what_the_first_compiled(ledger_url):
    with Ledger.open(ledger_url) as first:
        first.write(put)
    seen = []

    def look(_conn, _cursor, statement, _parameters, context, _executemany):
        if "INSERT INTO takers" in statement:
            seen.append(context.cache_hit)

    with Ledger.open(ledger_url) as second:
        sa.event.listen(second._writer, "before_cursor_execute", look)
        second.write(put, name="Bia")
        assert [row["name"] for row in second.read(held)] == ["Bia"]
    assert seen == [CacheStats.CACHE_HIT]
