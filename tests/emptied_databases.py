"""A PostgreSQL database that one worker's tests use in turn: emptied after each test, which costs less than a new one.

A test may leave rows, numbers of sequences, and sessions: they are removed. After a test that changed anything else
(tables, guards, statistics, the rows of the migration), the next test gets a new database.
"""

import contextlib
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final, LiteralString, Protocol

import psycopg
from psycopg import sql

from tests.kept_sessions import KeptSessions

_MOST_USES: Final = 100
"""Deleted rows stay in the files: replace the database before they cost more than a new one."""
_MOST_ROWS: Final = 2_000
_PATIENCE_S: Final = 60.0
_OWN_OIDS: Final = 16384
"""PostgreSQL's own objects have smaller ids."""
_CATALOG: Final[dict[LiteralString, LiteralString]] = {
    "pg_class": "oid", "pg_attribute": "attrelid", "pg_constraint": "oid", "pg_index": "indexrelid",
    "pg_trigger": "oid", "pg_proc": "oid", "pg_statistic": "starelid",
}  # fmt: skip
_SETTINGS: Final = (
    "(SELECT (count(*), max(s.xmin::text::bigint)) FROM pg_db_role_setting s"
    " JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database())"
)
"""All databases of a server share this table."""
_OTHERS: Final = (
    "FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid() AND pid != ALL(%s)"
)


class NewDatabases(Protocol):
    """What makes a migrated database, and drops it afterwards."""

    def __call__(self) -> contextlib.AbstractContextManager[str]: ...


class EmptiedDatabase:
    """Lends one database to one test at a time."""

    def __init__(self, new: NewDatabases) -> None:
        self._new = new
        self._kept = ExitStack()
        self._url = ""
        self._uses = 0

    @contextlib.contextmanager
    def lent(self) -> Iterator[str]:
        """Yield the address of an empty ledger. No two tests get one address: processes remember what they opened."""
        if not self._url:
            self._make()
        try:
            yield f"{self._url}&application_name=t{uuid.uuid4().hex[:16]}"
        finally:
            if not self._is_emptied():
                self.close()

    def close(self) -> None:
        """Drop the database."""
        self._url = ""
        self._kept.close()

    def _make(self) -> None:
        url = self._kept.enter_context(self._new())
        self._conn = self._kept.enter_context(psycopg.connect(url, autocommit=True))
        names = self._conn.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND oid >= %s", [_OWN_OIDS])
        self._tables = sorted(name for (name,) in names)
        filled = self._not_empty(self._tables)
        self._blank_tables = [name for name in self._tables if name not in filled]
        self._state = _state(filled)
        self._before = self._conn.execute(self._state).fetchone()
        self._sessions = KeptSessions(self._conn.info.dbname)
        self._kept.callback(self._sessions.end)
        self._uses = 0
        self._url = url

    def _is_emptied(self) -> bool:
        """Remove what the test left. Return whether the database is as it was made."""
        self._uses += 1
        self._end_sessions()
        if self._uses >= _MOST_USES or self._conn.execute(self._state, prepare=True).fetchone() != self._before:
            return False
        deleted = 0
        with self._conn.transaction():
            # The guards refuse to delete a ledger's rows.
            self._conn.execute("SET LOCAL session_replication_role = replica")
            for name in sorted(self._not_empty(self._blank_tables)):
                deleted += self._conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name))).rowcount
            self._conn.execute(_RESTART, prepare=True)
        return deleted < _MOST_ROWS

    def _not_empty(self, tables: list[str]) -> set[str]:
        each = "SELECT {name} WHERE EXISTS (SELECT 1 FROM {table})"
        asked = [sql.SQL(each).format(name=name, table=sql.Identifier(name)) for name in tables]
        return {name for (name,) in self._conn.execute(sql.SQL(" UNION ALL ").join(asked), prepare=True)}

    def _end_sessions(self) -> None:
        """End every session that the test left, its killed processes' included: one could still commit."""
        idle = [self._sessions.idle]
        self._conn.execute(f"SELECT pg_terminate_backend(pid) {_OTHERS}", idle, prepare=True)
        until = time.monotonic() + _PATIENCE_S
        while self._conn.execute(f"SELECT 1 {_OTHERS}", idle, prepare=True).fetchone():
            assert time.monotonic() < until, "a session of the test does not end"
            time.sleep(0.002)


_RESTART: Final = (
    "SELECT setval(seqrelid, seqstart, false) FROM pg_sequence WHERE pg_sequence_last_value(seqrelid) IS NOT NULL"
)


def _state(filled: set[str]) -> sql.Composed:
    """Return the question whose answer differs once anything but rows of the blank tables was changed.

    Every change gives a row of the catalogue the number of its transaction. Only statistics are written in place.
    """
    parts: list[sql.Composable] = [
        sql.SQL("(SELECT (count(*), max(xmin::text::bigint)) FROM {} WHERE {} >= {})").format(
            sql.Identifier(name), sql.Identifier(column), _OWN_OIDS
        )
        for name, column in _CATALOG.items()
    ]
    parts.append(sql.SQL(_SETTINGS))
    parts.append(sql.SQL("(SELECT (sum(relpages), sum(reltuples)) FROM pg_class WHERE oid >= {})").format(_OWN_OIDS))
    parts += [
        sql.SQL("(SELECT (count(*), max(xmin::text::bigint)) FROM {})").format(sql.Identifier(name))
        for name in sorted(filled)
    ]
    return sql.SQL("SELECT ROW({})::text").format(sql.SQL(", ").join(parts))
