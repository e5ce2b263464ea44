"""An emulator's whole state in one SQLite file, so that the provider outlives its process.

Every request is one transaction, committed before its answer is sent: an answer stays true after a SIGKILL. The file
survives a killed process, not a power cut (`synchronous=OFF`), because an emulator stores no real money.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

_SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS violations (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL);
"""
_PRAGMAS = (
    "locking_mode=EXCLUSIVE",
    "journal_mode=WAL",
    "synchronous=OFF",
    "cache_size=-32000",
    # every request rewrites the same few pages: rare checkpoints write less
    "wal_autocheckpoint=8000",
)

_LAST_IDS: Final = "sqlite_sequence"


@dataclass(slots=True)
class Window:
    """The part of every long list in one answer: entries with ids from `first` to `last`.

    `has_history` includes status changes; `is_cut` is set when a list continues after the window.
    """

    first: int
    last: int
    has_history: bool = False
    is_cut: bool = False

    def holds(self, resource_id: int) -> bool:
        return self.first <= resource_id <= self.last


class Store:
    """One connection, one writer. `path` None keeps everything in memory."""

    def __init__(self, path: str | None, schema: str) -> None:
        self._connection = sqlite3.connect(
            path or ":memory:", timeout=1.0, isolation_level=None, check_same_thread=False, cached_statements=512
        )
        # exclusive: a second sandbox on the same file must fail at once
        for pragma in _PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(_SCHEMA + schema)

    def close(self) -> None:
        self._connection.close()

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Execute a statement. Return the id of the inserted row, if any."""
        return self._connection.execute(sql, values).lastrowid or 0

    def run_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(sql, rows)

    def one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row as a tuple, or None."""
        return self._connection.execute(sql, values).fetchone()

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

    def records(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return rows as dictionaries by column name."""
        cursor = self._connection.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def within(self, table: str, window: Window) -> list[dict[str, Any]]:
        """Return the rows of a table whose `id` is in the window, oldest first. Set `is_cut` if more follow."""
        window.is_cut |= (self.one(f"SELECT MAX(id) FROM {table}")[0] or 0) > window.last  # noqa: S608 - our own names
        return self.records(
            f"SELECT * FROM {table} WHERE id BETWEEN ? AND ? ORDER BY id",  # noqa: S608
            (window.first, window.last),
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all statements or none."""
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def setting(self, key: str, default: Any) -> Any:
        row = self.one("SELECT value FROM settings WHERE key = ?", (key,))
        return default if row is None else json.loads(row[0])

    def set_setting(self, key: str, value: Any) -> None:
        self.run("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", (key, json.dumps(value)))

    def violate(self, at: float, kind: str, **details: Any) -> None:
        """Record a violation: an event that a careful client never causes."""
        self.run("INSERT INTO violations (at, kind, details) VALUES (?, ?, ?)", (at, kind, json.dumps(details)))

    def empty(self) -> None:
        """Delete everything, and restart the ids."""
        for table in self.tables():
            self.run(f"DELETE FROM {table}")  # noqa: S608 - names come from the schema itself

    def content(self) -> dict[str, list[Any]]:
        """Return the rows of every table, for `restore`."""
        return {table: self.all(f"SELECT * FROM {table}") for table in self.tables()}  # noqa: S608

    def restore(self, content: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        """Replace the rows of all tables in `content`, which a store with the same schema returned."""
        # SQLite updates the table of last ids during inserts: restore it last
        for table, rows in sorted(content.items(), key=lambda each: each[0] == _LAST_IDS):
            self.run(f"DELETE FROM {table}")  # noqa: S608
            if rows:
                places = ", ".join("?" * len(rows[0]))
                self.run_many(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608

    def tables(self) -> list[str]:
        return [row[0] for row in self.all("SELECT name FROM sqlite_schema WHERE type = 'table'")]
