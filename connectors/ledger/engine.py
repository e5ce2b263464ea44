"""Opening a ledger: SQLite or PostgreSQL, one write transaction at a time, reads from a snapshot.

SQLite runs in WAL mode with `synchronous=FULL`; every write transaction takes the write lock when it begins (`BEGIN
IMMEDIATE`), because two deferred ones that both read first would either fail or act on the same rows twice. Async code
reaches the ledger through `writing` and `reading` only, so that the event loop never waits for a lock.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

import orjson
import sqlalchemy as sa

from connectors.ledger.migrations.guards import GUARDS, guards_of
from domain.problems import FaturistaError, Problem

P = ParamSpec("P")
T = TypeVar("T")

HEAD: Final = "0001"
"""The newest migration; a test compares it with the migrations' own folder."""

LOCK_WAIT_S: Final = 30.0
"""For how long somebody else's transaction is waited for, unless whoever opens the ledger says otherwise."""
FROZEN_AFTER_S: Final = 60
"""A machine that stops in the middle of a transaction keeps its rows locked, lease or no lease, for so long at most."""
_TRIES: Final = 3
_SIGNS: Final = {
    "ledger.disk_full": ("SQLITE_FULL", "SQLITE_IOERR", "53100", "58030"),
    "ledger.locked": ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03", "40001", "40P01"),
}
"""How SQLite's error names and PostgreSQL's states begin, by what is said of them."""
_UNDONE: Final = frozenset({"40001", "40P01"})  # PostgreSQL undid the transaction because of another: run it again
_MIGRATION_LOCK: Final = 0xFA7051
_JSON: Final[dict[str, Any]] = {
    # a tenth of the standard library's time; every row has three of them
    "json_serializer": lambda value: orjson.dumps(value).decode(),
    "json_deserializer": orjson.loads,
}


class LedgerRefused(FaturistaError):
    """This ledger cannot be used as it is: its address is wrong, or it was written by a newer version."""


class LedgerUnavailable(FaturistaError):
    """The database did not answer, was locked for too long, or went away: nothing is known to be committed."""


class Ledger:
    """One open ledger. Stations pass it functions of this package; the first argument is the connection.

    ```python
    lease = ledger.write(claims.claim, batch, owner=owner, seconds=180, states={BatchState.PLANNED})
    ended = await ledger.writing(posting.end_posting, lease, outcomes)
    ```
    """

    def __init__(self, writer: sa.Engine, reader: sa.Engine) -> None:
        self._writer = writer
        self._reader = reader
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="ledger-write")
        self._read_threads = ThreadPoolExecutor(2, thread_name_prefix="ledger-read")

    @classmethod
    def open(cls, url: str, *, migrate: bool = True, lock_wait_s: float = LOCK_WAIT_S) -> Self:
        """Open, and by default create or upgrade, the ledger at `sqlite:///path` or `postgresql://…`.

        Raises `LedgerRefused` and `LedgerUnavailable`, the latter also later, for what is locked longer.
        """
        ledger = cls(*_engines(url, is_made=migrate, lock_wait_s=lock_wait_s))
        try:
            ledger._bring_up_to_date(migrate=migrate)
            ledger._check_once()
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def fill(cls, url: str, load: Callable[[sa.Connection], T]) -> T:
        """Let `load` make a ledger at `url`, tables and all, in one transaction; nothing is migrated or checked before.

        Raises what `open` raises, and whatever `load` does.
        """
        ledger = cls(*_engines(url, is_made=True))
        try:
            return ledger.write(load)
        except sa.exc.DatabaseError as error:
            raise LedgerRefused(Problem("ledger.foreign")) from error
        finally:
            ledger.close()

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._writer.dialect.name

    @property
    def address(self) -> str:
        """Where the ledger is, for a person; without a password."""
        return self._writer.url.render_as_string(hide_password=True)

    def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` in one write transaction; committed when it returns, undone when it raises.

        Run again, a few times, when PostgreSQL undid it to resolve a deadlock: so `fn` does nothing but ledger work.
        """
        for last in (False,) * (_TRIES - 1) + (True,):
            try:
                with _translated(), self._writer.begin() as conn:
                    return fn(conn, *args, **kwargs)
            except LedgerUnavailable as error:
                if last or getattr(getattr(error.__cause__, "orig", None), "sqlstate", None) not in _UNDONE:
                    raise
        raise AssertionError("unreachable")

    def read(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` on one read-only snapshot."""
        with _translated(), self._reader.begin() as conn:
            return fn(conn, *args, **kwargs)

    async def writing(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `write` on the one writer thread. A cancelled wait does not cancel the transaction."""
        return await _on(self._write_thread, lambda: self.write(fn, *args, **kwargs))

    async def reading(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`read` on another thread."""
        return await _on(self._read_threads, lambda: self.read(fn, *args, **kwargs))

    def close(self) -> None:
        """Finish what the writer thread holds and close every connection."""
        self._write_thread.shutdown(wait=True)
        self._read_threads.shutdown(wait=True)
        self._reader.dispose()
        self._writer.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _bring_up_to_date(self, *, migrate: bool) -> None:
        try:
            version = self.read(version_of)
        except sa.exc.DatabaseError as error:
            raise LedgerRefused(Problem("ledger.foreign")) from error
        if version == HEAD:
            return
        if not migrate:
            _refuse_newer(version)
            raise LedgerRefused(Problem("ledger.not_migrated"))
        self.write(_migrate)

    def _check_once(self) -> None:
        """Cheap, and once in a process: a damaged file, or one whose guards were taken away, is not worked on."""
        if self.address in _CHECKED:
            return
        try:
            self.read(check_whole, most_bytes=_CHECKED_AT_START)
        except sa.exc.DatabaseError as error:
            raise LedgerRefused(Problem("ledger.damaged", params={"what": type(error.orig).__name__})) from error
        _CHECKED.add(self.address)


def check_whole(conn: sa.Connection, *, most_bytes: int | None = None) -> None:
    """Raise `LedgerRefused` when the database says that it is damaged, or lacks one of its guards.

    Of a SQLite file larger than `most_bytes` only the guards are looked at.
    """
    missing = sorted(GUARDS - guards_of(conn))
    if missing:
        raise LedgerRefused(Problem("ledger.unguarded", params={"names": ", ".join(missing[:5])}))
    if conn.dialect.name == "sqlite":
        sizes = [conn.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("page_count", "page_size")]
        if most_bytes is not None and sizes[0] * sizes[1] > most_bytes:
            return
        found = conn.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if found != "ok":
            raise LedgerRefused(Problem("ledger.damaged", params={"what": str(found)[:200]}))


async def _on(threads: Executor, job: Callable[[], T]) -> T:
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(threads, job))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sa.exc.DBAPIError as error:
        if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.InternalError):
            raise
        raise LedgerUnavailable(_why_unavailable(error.orig)) from error
    except sa.exc.TimeoutError as error:
        raise LedgerUnavailable(Problem("ledger.unavailable", params={"reason": "TimeoutError"})) from error


def _why_unavailable(error: BaseException | None) -> Problem:
    """Whether the disk takes nothing more, somebody else keeps the ledger locked, or the database went away."""
    sign = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or type(error).__name__
    code = next((code for code, signs in _SIGNS.items() if sign.startswith(signs)), "ledger.unavailable")
    return Problem(code, params={"reason": sign})


def _engines(url: str, *, is_made: bool, lock_wait_s: float = LOCK_WAIT_S) -> tuple[sa.Engine, sa.Engine]:
    """One that writes and one that reads. `is_made`: a file that is not there yet will be."""
    address = _address(url)
    if address.get_backend_name() != "sqlite":
        return _postgresql(address, lock_wait_s), _postgresql(address, lock_wait_s, is_readonly=True)
    path = Path(address.database or "")
    if is_made:
        path.parent.mkdir(parents=True, exist_ok=True)
    elif not path.exists():
        raise LedgerRefused(Problem("ledger.missing"))
    return _sqlite(address, "BEGIN IMMEDIATE", lock_wait_s), _sqlite(address, "BEGIN", lock_wait_s, is_readonly=True)


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
    # The driver's own idea of when a transaction begins would defer it: it is switched off and BEGIN is said by us.
    engine = sa.create_engine(
        address, connect_args={"isolation_level": None, "timeout": lock_wait_s}, hide_parameters=True, **_JSON
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        try:
            # The mode is kept in the file: a reader leaves it, for the file may turn out to be something else's.
            if not is_readonly:
                _write_ahead(cursor, lock_wait_s)
            for pragma in ("synchronous=FULL", "foreign_keys=ON", f"query_only={'ON' if is_readonly else 'OFF'}"):
                cursor.execute(f"PRAGMA {pragma}")
        finally:
            cursor.close()

    @sa.event.listens_for(engine, "begin")
    def announce(conn: sa.Connection) -> None:
        conn.exec_driver_sql(begin)

    return engine


def _write_ahead(cursor: sqlite3.Cursor, lock_wait_s: float) -> None:
    """Set the file's mode unless it is set. Raises the driver's error when that is in somebody's way for too long.

    SQLite waits for a lock at the beginning of a transaction, not here: of two processes that open a new file at once
    one fails in the same moment. So it waits where SQLite does, and looks again.
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
        # A snapshot for readers; writers lock the rows that they decide upon.
        isolation_level="REPEATABLE READ" if is_readonly else "READ COMMITTED",
        execution_options={"postgresql_readonly": True} if is_readonly else {},
        # some texts are sent as the bytes that they are
        connect_args={"connect_timeout": 10, "options": limits, "client_encoding": "utf8"},
        pool_pre_ping=True,
        hide_parameters=True,
        **_JSON,
    )


def version_of(conn: sa.Connection) -> str | None:
    """The ledger's migration, None for an empty database. Raises `LedgerRefused` for a database of something else."""
    names = set(sa.inspect(conn).get_table_names())
    if "alembic_version" in names and "legal_moves" in names:
        return str(conn.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())
    if names:
        raise LedgerRefused(Problem("ledger.foreign"))
    return None


def _migrate(conn: sa.Connection) -> None:
    """Run the migrations that are missing. Two processes may open a new ledger at once: the second finds it done."""
    from connectors.ledger.migrations import steps  # noqa: PLC0415 - slow to load, and needed once in a ledger's life

    if conn.dialect.name == "postgresql":
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
    version = version_of(conn)
    if version == HEAD:
        return
    _refuse_newer(version)
    steps.upgrade(conn)


def _refuse_newer(version: str | None) -> None:
    from connectors.ledger.migrations import steps  # noqa: PLC0415 - slow to load, as above

    if version is not None and version not in steps.revisions():
        raise LedgerRefused(Problem("ledger.newer", params={"theirs": version, "ours": HEAD}))


_CHECKED: Final[set[str]] = set()
_CHECKED_AT_START: Final = 256 * 1024 * 1024
"""Bytes of a SQLite file that are read at the start of each process, some half a second; a larger one is left to
`verify`."""
