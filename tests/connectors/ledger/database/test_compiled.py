"""Statements that are compiled once for every connection of a process."""

import pytest
import sqlalchemy as sa

from connectors.ledger.database import compiled
from connectors.ledger.database.compiled import CompiledStatements
from connectors.ledger.database.sql import Statement, param


def ask(engine: sa.Engine, number: int) -> int:
    with engine.connect() as conn:
        found: int = conn.execute(sa.select(sa.literal(number))).scalar_one()
    return found


def engines(cache: CompiledStatements, *addresses: str) -> list[sa.Engine]:
    return [sa.create_engine(address, execution_options={"compiled_cache": cache}) for address in addresses]


def test_engines_of_one_kind_share_what_was_compiled() -> None:
    cache = CompiledStatements()
    first, second = engines(cache, "sqlite://", "sqlite://")
    assert [ask(first, 7), ask(second, 8)] == [7, 8]
    assert len(cache) == 1
    for engine in (first, second):
        engine.dispose()


def test_another_server_version_compiles_again() -> None:
    cache = CompiledStatements()
    first, second = engines(cache, "sqlite://", "sqlite://")
    ask(first, 1)
    ask(second, 1)
    # A statement that is compiled for this version only.
    second.dialect.server_version_info = (1, 0, 0)
    assert ask(second, 5) == 5
    assert len(cache) == 2
    for engine in (first, second):
        engine.dispose()


def test_the_cache_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "STATEMENTS_AT_MOST", 2)
    cache = CompiledStatements()
    (engine,) = engines(cache, "sqlite://")
    with engine.connect() as conn:
        for count in range(1, 6):
            row = conn.execute(sa.select(*[sa.literal(number) for number in range(count)])).one()
            assert tuple(row) == tuple(range(count))
            assert len(cache) <= 2
    engine.dispose()


def test_a_kept_statement_is_found_without_its_text() -> None:
    # The engine's cache is asked with the whole statement, whose hash costs as much as a small statement.
    cache = CompiledStatements()
    first, second = engines(cache, "sqlite://", "sqlite://")
    add = Statement(lambda _conn: sa.select(sa.literal_column("1") + param("number", sa.Integer)))
    for engine in (first, second):
        with engine.connect() as conn:
            assert [add(conn, number=number).scalar_one() for number in (1, 2)] == [2, 3]
            assert add.gather(conn, number=3) == [[4]]
        engine.dispose()
    assert len(cache) == 0


def test_a_cache_of_one_statement_tells_runs_apart() -> None:
    cache = CompiledStatements(of_one=True)
    (engine,) = engines(cache, "sqlite://")
    table = sa.Table("tides", sa.MetaData(), sa.Column("id", sa.Integer), sa.Column("height", sa.Integer))
    insert = sa.insert(table)
    with engine.begin() as conn:
        table.create(conn)
        cache.clear()
        conn.execute(insert, {"id": 1})
        conn.execute(insert, {"id": 2, "height": 20})
        conn.execute(insert, [{"id": 3, "height": 30}, {"id": 4, "height": 40}])
        conn.execute(insert, {"id": 5})
        assert len(cache) == 3
        engine.dialect.server_version_info = (1, 0, 0)
        conn.execute(insert, {"id": 6})
        assert len(cache) == 4
    with engine.connect() as conn:
        read = sa.select(table).order_by(table.c.id)
        found = conn.execute(read, execution_options={"compiled_cache": None}).all()
    assert [tuple(row) for row in found] == [(1, None), (2, 20), (3, 30), (4, 40), (5, None), (6, None)]
    engine.dispose()
