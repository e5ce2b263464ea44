"""Statements that are compiled once for every connection of a process."""

import pytest
import sqlalchemy as sa

from connectors.ledger.database import compiled
from connectors.ledger.database.compiled import CompiledStatements


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


def test_another_server_version_compiles_anew() -> None:
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


def test_what_is_kept_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "STATEMENTS_AT_MOST", 2)
    cache = CompiledStatements()
    (engine,) = engines(cache, "sqlite://")
    with engine.connect() as conn:
        for count in range(1, 6):
            row = conn.execute(sa.select(*[sa.literal(number) for number in range(count)])).one()
            assert tuple(row) == tuple(range(count))
            assert len(cache) <= 2
    engine.dispose()
