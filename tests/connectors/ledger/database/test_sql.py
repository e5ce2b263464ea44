"""Cached statements: built once, with named parameters, on both databases alike."""

from datetime import UTC, date, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from connectors.ledger import tables
from connectors.ledger.database.sql import Instant, Kinds, Statement, clock, is_in, now, param, values
from connectors.ledger.engine import Ledger
from tests import ledgers
from tests.connectors.ledger import scene as scenes

TIDE = datetime(2026, 11, 20, 12, 30, 0, 123_456, tzinfo=UTC)


def test_a_statement_is_built_once_and_bound_at_each_call(ledger):
    built = []

    @Statement
    def find(conn):
        built.append(conn)
        return sa.select(tables.rows.c.id, tables.rows.c.sheet).where(is_in(conn, tables.rows.c.id, param("ids")))

    scene = ledger.write(scenes.furnish)
    for count in (1, 4, 0):
        ids = scene.row_ids[:count]
        rows = ledger.read(lambda conn, ids=ids: find(conn, ids=ids).all())
        assert sorted(rows) == [(each, "S") for each in ids]
        assert sorted(map(tuple, ledger.read(find.gather, ids=ids))) == sorted(rows)
    assert len(built) == 1


def test_a_bind_name_sets_no_column_of_that_name(ledger):
    batches = tables.batches

    @Statement
    def count_look(_conn):
        is_held = batches.c.fence == param("fence")
        return sa.update(batches).where(batches.c.id == param("id"), is_held).values(looks=batches.c.looks + 1)

    scene = ledger.write(scenes.furnish)
    found = [ledger.write(count_look, id=scene.batch_id, fence=fence).rowcount for fence in (7, 0)]
    assert found == [0, 1]
    assert ledger.read(lambda conn: conn.execute(sa.select(batches.c.fence, batches.c.looks)).one()) == (0, 1)


def test_rows_are_sent_along_with_their_types(ledger):
    kinds: Kinds = {"id": sa.BigInteger(), "at": Instant(), "on": sa.Date(), "said": sa.JSON(), "text": sa.Text()}
    rows = [(1, TIDE, date(2026, 11, 20), [{"é": "ã"}], "maré"), (2, None, None, None, None)]

    @Statement
    def send(conn):
        return sa.select(values(conn, "given", kinds, param("rows")))

    def sent_at_once(conn):
        return conn.execute(sa.select(values(conn, "given", kinds, rows))).all()

    assert sorted(ledger.read(lambda conn: send(conn, rows=rows).all())) == rows
    assert sorted(ledger.read(sent_at_once)) == rows


def test_the_clock_is_read_when_it_runs(ledger):
    @Statement
    def look(conn):
        return sa.select(clock(conn), clock(conn, plus_s=param("seconds")))

    def read(conn):
        return [now(conn), *look(conn, seconds=60).one(), now(conn)]

    for _ in range(2):
        before, at, later, after = ledger.read(read)
        assert before <= at <= after
        assert before + timedelta(seconds=60) <= later <= after + timedelta(seconds=60)


def test_postgresql_gets_a_list_of_ids_as_an_array():
    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        is_listed = ledger.read(lambda conn: is_in(conn, tables.invoices.c.id, [1, 2]))
        find = str(sa.select(tables.invoices.c.id).where(is_listed).compile(dialect=postgresql.psycopg.dialect()))
    assert find.endswith("::BIGINT[])")
    assert "CAST" not in find
