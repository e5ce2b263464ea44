"""Insert a row, or update the one with the same key.

SQLAlchemy 2.0 caches no statement with a conflict clause, and compiling one takes ten times as long as running it. So
each is compiled here, once in a process.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Compiled

from connectors.ledger.database.compiled import dialect_kind
from connectors.ledger.database.sql import clock, insert_into

NOW: Final = object()
"""A value of a row: the database's clock, read when the statement runs."""

# A value's name must differ from every column's.
_GIVEN: Final = "given_"
_Kind = tuple[Any, ...]
_COMPILED: Final[dict[_Kind, Compiled]] = {}


def upsert(conn: sa.Connection, table: sa.Table, key: Sequence[str], row: Mapping[str, Any]) -> int:
    """Insert the row, or update the one with the same `key` columns; return its id."""
    given = {_GIVEN + name: value for name, value in row.items() if value is not NOW}
    columns = tuple((name, value is NOW) for name, value in row.items())
    kind = (dialect_kind(conn.dialect), table.name, tuple(key), columns)
    compiled = _COMPILED.get(kind)
    if compiled is None:
        compiled = _COMPILED[kind] = _compile(conn, table, key, dict(columns))
    # SQLAlchemy runs what it compiled, but its types do not say so.
    made: sa.CursorResult[Any] = conn.execute(compiled, given)  # type: ignore[call-overload]
    return int(made.scalar_one())


def _compile(conn: sa.Connection, table: sa.Table, key: Sequence[str], columns: Mapping[str, bool]) -> Compiled:
    values = {
        name: clock(conn) if is_now else sa.bindparam(_GIVEN + name, type_=table.c[name].type)
        for name, is_now in columns.items()
    }
    insert = insert_into(conn, table).values(**values)
    changed = {name: insert.excluded[name] for name in columns if name not in key}
    made = insert.on_conflict_do_update(index_elements=key, set_=changed).returning(table.c.id)
    return made.compile(dialect=conn.dialect)
