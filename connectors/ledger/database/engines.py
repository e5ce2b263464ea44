"""SQLAlchemy engines for one ledger: SQLite in write-ahead mode, or PostgreSQL."""

import sqlite3
import time
from pathlib import Path
from typing import Any, Final
from weakref import WeakSet

import orjson
import sqlalchemy as sa

from connectors.ledger.database.compiled import CompiledStatements
from connectors.ledger.database.errors import LedgerRefused, LedgerUnavailable
from connectors.ledger.database.files import make_file, make_folder
from domain.disk_faults import disk_fault
from domain.problems import Problem

LOCK_WAIT_S: Final = 30.0
"""Seconds that a transaction waits for a lock by default."""
FROZEN_AFTER_S: Final = 60
"""PostgreSQL ends a transaction after this many idle seconds, in case its machine stopped."""
_JSON: Final[dict[str, Any]] = {
    # orjson takes a tenth of the standard library's time; every row has three such values.
    "json_serializer": lambda value: orjson.dumps(value).decode(),
    "json_deserializer": orjson.loads,
}
_COMPILED: Final = CompiledStatements()


class _Connection(sqlite3.Connection):
    """A connection that can close its queries. A query that is not read to its end keeps its snapshot.

    A traceback may keep such a query beyond its transaction. The next one would read the past, or could not write.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        made = super().cursor(factory)
        self._cursors.add(made)
        return made

    def close_queries(self) -> None:
        for each in tuple(self._cursors):
            each.close()
        self._cursors.clear()


def engines_of(url: str, *, is_made: bool, lock_wait_s: float = LOCK_WAIT_S) -> tuple[sa.Engine, sa.Engine]:
    """Return a writing and a reading engine for the ledger at `url`.

    `is_made`: create a missing SQLite file. Raises `LedgerRefused` for a wrong address or a missing file, and
    `LedgerUnavailable` if the file cannot be created.
    """
    address = _address(url)
    if address.get_backend_name() != "sqlite":
        return _postgresql(address, lock_wait_s), _postgresql(address, lock_wait_s, is_readonly=True)
    path = Path(address.database or "")
    if is_made:
        _create_file(path)
    elif not path.exists():
        raise LedgerRefused(Problem("ledger.missing"))
    return _sqlite(address, "BEGIN IMMEDIATE", lock_wait_s), _sqlite(address, "BEGIN", lock_wait_s, is_readonly=True)


def ledger_file(url: str) -> Path | None:
    """Return the file of a ledger, or None for a database server. Raises `LedgerRefused` for another address."""
    address = _address(url)
    return Path(address.database or "") if address.get_backend_name() == "sqlite" else None


def _create_file(path: Path) -> None:
    try:
        make_folder(path.parent)
        make_file(path)
    except OSError as error:
        code = "ledger.disk_full" if disk_fault(error) in {"full", "failing"} else "ledger.no_access"
        raise LedgerUnavailable(Problem(code, params={"reason": type(error).__name__})) from error


def _address(url: str) -> sa.URL:
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise LedgerRefused(Problem("ledger.address")) from error
    backend = address.get_backend_name()
    if backend == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if backend != "sqlite" or address.database in (None, "", ":memory:"):
        raise LedgerRefused(Problem("ledger.address"))
    return address


def _sqlite(address: sa.URL, begin: str, lock_wait_s: float, *, is_readonly: bool = False) -> sa.Engine:
    # The driver would send a deferred BEGIN itself: switch that off, and send our own.
    engine = sa.create_engine(
        address,
        connect_args={"isolation_level": None, "timeout": lock_wait_s, "factory": _Connection},
        execution_options={"compiled_cache": _COMPILED},
        hide_parameters=True,
        **_JSON,
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        try:
            # The file stores its journal mode. A reader never sets it: the file may belong to another program.
            if not is_readonly:
                _write_ahead(cursor, lock_wait_s)
            for pragma in ("synchronous=FULL", "foreign_keys=ON", f"query_only={'ON' if is_readonly else 'OFF'}"):
                cursor.execute(f"PRAGMA {pragma}")
        finally:
            cursor.close()

    @sa.event.listens_for(engine, "begin")
    def announce(conn: sa.Connection) -> None:
        conn.exec_driver_sql(begin)

    @sa.event.listens_for(engine, "reset")
    def close_queries(connection: _Connection, _record: object, _state: object) -> None:
        connection.close_queries()

    return engine


def _write_ahead(cursor: sqlite3.Cursor, lock_wait_s: float) -> None:
    """Switch the file to write-ahead mode. Raises the driver's error when the file is locked for too long.

    SQLite waits for a lock when a transaction begins, but not when the mode changes. If two processes open a new file
    at once, the change fails in one of them: that process begins a transaction in order to wait, and tries again.
    """
    until = time.monotonic() + lock_wait_s
    while cursor.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > until:
                raise
            cursor.execute("BEGIN IMMEDIATE")
            cursor.execute("COMMIT")


def _postgresql(address: sa.URL, lock_wait_s: float, *, is_readonly: bool = False) -> sa.Engine:
    limits = f"-c lock_timeout={lock_wait_s * 1000:.0f} -c idle_in_transaction_session_timeout={FROZEN_AFTER_S}s"
    return sa.create_engine(
        address,
        # Readers get a snapshot; writers lock the rows that they change.
        isolation_level="REPEATABLE READ" if is_readonly else "READ COMMITTED",
        execution_options={"compiled_cache": _COMPILED} | ({"postgresql_readonly": True} if is_readonly else {}),
        # COPY sends texts as their UTF-8 bytes.
        connect_args={"connect_timeout": 10, "options": limits, "client_encoding": "utf8"},
        pool_pre_ping=True,
        # No column has this type, and querying it takes as long as connecting.
        use_native_hstore=False,
        hide_parameters=True,
        **_JSON,
    )
