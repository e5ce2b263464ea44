"""Insert a row, or update the one with the same key."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger.database.conflicts import Clause, DialectInsert, insert_with
from connectors.ledger.database.sql import Statement, clock, param

NOW: Final = object()
"""A value of a row: the database's clock, read when the statement runs."""


def upsert(conn: sa.Connection, table: sa.Table, key: Sequence[str], row: Mapping[str, Any]) -> int:
    """Insert the row, or update the one with the same `key` columns; return its id."""
    given = {name: value for name, value in row.items() if value is not NOW}
    statement = _statement(table, tuple(key), tuple((name, name in given) for name in row))
    return int(statement(conn, **given).scalar_one())


@cache
def _statement(table: sa.Table, key: tuple[str, ...], columns: tuple[tuple[str, bool], ...]) -> Statement:
    """Build the upsert once. `columns`: each name, and whether the caller passes the value (else the clock)."""
    clause = _replace_on_conflict(key, tuple(name for name, _ in columns if name not in key))

    def build(conn: sa.Connection) -> sa.Executable:
        values = {name: param(name, table.c[name].type) if is_given else clock(conn) for name, is_given in columns}
        return insert_with(conn, table, clause).values(**values).returning(table.c.id)

    return Statement(build)


@cache
def _replace_on_conflict(key: tuple[str, ...], changed: tuple[str, ...]) -> Clause:
    def replace(insert: DialectInsert) -> DialectInsert:
        return insert.on_conflict_do_update(index_elements=key, set_={name: insert.excluded[name] for name in changed})

    return replace
