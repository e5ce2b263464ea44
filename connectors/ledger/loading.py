"""Insert thousands of rows with few calls of the database driver."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql.type_api import TypeEngine

from connectors.ledger.sql import is_sqlite

_TOGETHER: Final = 1_000
_PARAMETERS_AT_MOST: Final = 32_766
"""What SQLite takes in one statement, unless it was built to take more."""


def load_many(
    conn: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[Sequence[str | bytes | int | None]]
) -> None:
    """Insert rows of numbers and texts; JSON comes as the bytes of its text.

    SQLite is given a thousand rows a statement, PostgreSQL a stream.
    """
    if not is_sqlite(conn):
        _stream(conn, table, columns, rows)
        return
    together = min(_TOGETHER, _PARAMETERS_AT_MOST // len(columns))
    for start in range(0, len(rows), together):
        _insert(conn, table, columns, rows[start : start + together])


def _insert(
    conn: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[Sequence[str | bytes | int | None]]
) -> None:
    # the driver takes every parameter under Python's lock: what all rows share is told once
    told = dict(zip(columns, zip(*rows, strict=True), strict=True))
    once = {name: values[0] for name, values in told.items() if values.count(values[0]) == len(rows)}
    each = {name: values for name, values in told.items() if name not in once}
    statement = _insertion(table, tuple(once), tuple(each), len(rows))
    conn.exec_driver_sql(statement, (*once.values(), *chain.from_iterable(zip(*each.values(), strict=True))))


@lru_cache(maxsize=16)
def _insertion(table: sa.Table, once: tuple[str, ...], each: tuple[str, ...], count: int) -> str:
    # the same object each time: by it the driver finds what it has compiled
    places = [f"?{number}" for number in range(1, len(once) + 1)] + ["?"] * len(each)
    told = [
        f"CAST({place} AS TEXT)" if _is_json(table.c[name].type) else place
        for name, place in zip((*once, *each), places, strict=True)
    ]
    names, rows = ", ".join((*once, *each)), ", ".join([f"({', '.join(told)})"] * count)
    return f"INSERT INTO {table.name} ({names}) VALUES {rows}"  # noqa: S608 - our own names


def _stream(
    conn: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[Sequence[str | bytes | int | None]]
) -> None:
    driver, faults = conn.connection.driver_connection, conn.dialect.loaded_dbapi.Error
    assert driver is not None
    statement = f"COPY {table.name} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
    kinds = [_wire_kind(table.c[name].type) for name in columns]
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as stream:
            stream.set_types(kinds)
            for row in rows:
                stream.write_row(row)
    except faults as error:
        # as SQLAlchemy would say it, so that whoever catches its errors catches this one
        raise sa.exc.DBAPIError.instance(
            statement, None, error, faults, hide_parameters=True, dialect=conn.dialect
        ) from error


def _wire_kind(kind: TypeEngine[Any]) -> str:
    if isinstance(kind, sa.Integer):
        return "int8" if isinstance(kind, sa.BigInteger) else "int4"
    # JSON is sent as its text, whose bytes are there already
    return "bytea" if _is_json(kind) else "text"


def _is_json(kind: TypeEngine[Any]) -> bool:
    return isinstance(kind, sa.JSON)
