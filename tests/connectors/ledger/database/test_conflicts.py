"""Inserts with a conflict clause: what they do, and that each is compiled once."""

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import CacheStats

from connectors.ledger import tables
from connectors.ledger.database.conflicts import insert_unless_known, insert_with
from connectors.ledger.database.sql import clock, now

_d = tables.deliveries


def adding(insert):
    added = {"count": _d.c.count + insert.excluded["count"]}
    return insert.on_conflict_do_update(index_elements=["outcome"], set_=added)


def renewing(insert):
    return insert.on_conflict_do_update(index_elements=["outcome"], set_={"count": insert.excluded["count"]})


def put(conn, make, *counts):
    """Insert each count under one key. Return how SQLAlchemy's cache answered each time."""
    inserts = (make(conn).values(outcome="stored", count=count, last_at=clock(conn)) for count in counts)
    return [conn.execute(insert).context.cache_hit for insert in inserts]


def counts(conn):
    return dict(conn.execute(sa.select(_d.c.outcome, _d.c.count)).tuples().all())


def test_a_known_row_stays(ledger):
    seen = ledger.write(put, lambda conn: insert_unless_known(conn, _d), 3, 4)
    assert (seen[1], ledger.read(counts)) == (CacheStats.CACHE_HIT, {"stored": 3})


def test_many_rows_return_those_that_were_new(ledger):
    def fill(conn, *outcomes):
        lines = [{"outcome": outcome, "count": 1, "last_at": at} for outcome in outcomes]
        made = conn.execute(insert_unless_known(conn, _d).returning(_d.c.outcome), lines)
        return made.context.cache_hit, sorted(made.scalars())

    at = ledger.read(now)
    assert ledger.write(fill, "a", "b")[1] == ["a", "b"]
    assert ledger.write(fill, "b", "c") == (CacheStats.CACHE_HIT, ["c"])


def test_each_clause_has_its_own_statement(ledger):
    first = ledger.write(put, lambda conn: insert_with(conn, _d, adding), 3, 4)
    assert (first[1], ledger.read(counts)) == (CacheStats.CACHE_HIT, {"stored": 7})
    second = ledger.write(put, lambda conn: insert_with(conn, _d, renewing), 5, 6)
    assert (second[1], ledger.read(counts)) == (CacheStats.CACHE_HIT, {"stored": 6})
