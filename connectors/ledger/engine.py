"""The ledger: one write transaction at a time, reads from a snapshot, on SQLite or PostgreSQL.

SQLite runs in WAL mode with `synchronous=FULL`. Every write transaction takes the write lock at its start (`BEGIN
IMMEDIATE`): of two deferred ones that both read first, one would fail at its first write. Async code uses the ledger
only through `write_async` and `read_async`, so that the event loop never waits for a lock.

A process has one open ledger for each address (`shared_ledger`). It stays open until the process ends. A forked child
opens its own: two processes must not use one connection.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Concatenate, Final, ParamSpec, Self, TypeVar

import sqlalchemy as sa

from connectors.ledger.database.engines import LOCK_WAIT_S, engines_of
from connectors.ledger.database.errors import LedgerRefused, LedgerUnavailable, is_rolled_back, translate_errors
from connectors.ledger.migrations import steps
from connectors.ledger.migrations.triggers import missing_guards
from domain.problems import Problem

__all__ = [
    "HEAD", "LOCK_WAIT_S", "Ledger", "LedgerRefused", "LedgerUnavailable", "check_integrity", "close_ledgers",
    "shared_ledger", "version_of",
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")

HEAD: Final = "0001"
"""The newest migration; a test compares it with the folder of migrations."""

_TRIES: Final = 3
# Queries for the tables' names as SQL texts, because SQLAlchemy's inspector would build them again at each call.
_TABLES: Final = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    "postgresql": "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"
    " AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
}
_MIGRATION_LOCK: Final = 0xFA7051


class Ledger:
    """An open ledger. Callers pass it functions of this package, whose first argument is the connection.

    ```python
    lease = ledger.write(leases.claim, batch, owner=owner, seconds=180, states={BatchState.PLANNED})
    ended = await ledger.write_async(posting.end_posting, lease, outcomes)
    ```
    """

    def __init__(self, writer: sa.Engine, reader: sa.Engine) -> None:
        self._writer = writer
        self._reader = reader
        self._file = _file_of(writer)
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="ledger-write")
        self._read_threads = ThreadPoolExecutor(2, thread_name_prefix="ledger-read")

    @classmethod
    def open(cls, url: str, *, migrate: bool = True, lock_wait_s: float = LOCK_WAIT_S) -> Self:
        """Open the ledger at `sqlite:///path` or `postgresql://…`; by default create or upgrade it.

        Raises `LedgerRefused` and `LedgerUnavailable`. Each later transaction raises `LedgerUnavailable`, too, when it
        waits longer than `lock_wait_s` seconds for a lock.
        """
        ledger = cls(*engines_of(url, is_made=migrate, lock_wait_s=lock_wait_s))
        try:
            ledger.bring_up_to_date(migrate=migrate)
            ledger._check_once()
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def fill(cls, url: str, load: Callable[[sa.Connection], T]) -> T:
        """Run `load` at `url` in one transaction that creates a ledger, tables included. Return its result.

        This method neither migrates nor checks anything. Raises the errors of `open` and of `load`.
        """
        ledger = cls(*engines_of(url, is_made=True))
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
        """The ledger's address for people, without a password."""
        return self._writer.url.render_as_string(hide_password=True)

    def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` in one write transaction: commit when it returns, roll back when it raises.

        If PostgreSQL rolls it back because of another transaction (a deadlock), run it again, up to three times in all:
        therefore `fn` must have no effect outside the ledger.
        """
        for _ in range(_TRIES - 1):
            try:
                return self._write_once(fn, *args, **kwargs)
            except LedgerUnavailable as error:
                if not is_rolled_back(error):
                    raise
        return self._write_once(fn, *args, **kwargs)

    def _write_once(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        with translate_errors(), self._writer.begin() as conn:
            return fn(conn, *args, **kwargs)

    def read(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` on one read-only snapshot."""
        with translate_errors(), self._reader.begin() as conn:
            return fn(conn, *args, **kwargs)

    async def write_async(
        self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `write` on the one writer thread. A cancelled wait does not cancel the transaction."""
        return await _run_on(self._write_thread, lambda: self.write(fn, *args, **kwargs))

    async def read_async(
        self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `read` in one of two reader threads."""
        return await _run_on(self._read_threads, lambda: self.read(fn, *args, **kwargs))

    @property
    def is_in_place(self) -> bool:
        """Whether the opened SQLite file is still the file at its path; always true for PostgreSQL."""
        return self._file == _file_of(self._writer)

    def finish(self) -> None:
        """Wait until the writer thread has finished its queue, cancelled calls included."""
        self._write_thread.submit(lambda: None).result()

    def close(self) -> None:
        """Finish the writer thread's queue and close every connection."""
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

    def bring_up_to_date(self, *, migrate: bool) -> None:
        """Migrate an older or empty database if `migrate` is true. Raises `LedgerRefused` if it cannot be used."""
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
        """Raise `LedgerRefused` for a damaged database or missing guards. Checks each address once in a process."""
        if self.address in _CHECKED:
            return
        try:
            self.read(check_integrity, most_bytes=_CHECKED_AT_START)
        except sa.exc.DatabaseError as error:
            raise LedgerRefused(Problem("ledger.damaged", params={"what": type(error.orig).__name__})) from error
        _CHECKED.add(self.address)


def check_integrity(conn: sa.Connection, *, most_bytes: int | None = None) -> None:
    """Raise `LedgerRefused` if a guard is missing, or if SQLite finds damage in its file.

    For a SQLite file larger than `most_bytes`, check only the guards.
    """
    missing = sorted(missing_guards(conn))
    if missing:
        raise LedgerRefused(Problem("ledger.unguarded", params={"names": ", ".join(missing[:5])}))
    if conn.dialect.name == "sqlite":
        sizes = [conn.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("page_count", "page_size")]
        if most_bytes is not None and sizes[0] * sizes[1] > most_bytes:
            return
        found = conn.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if found != "ok":
            raise LedgerRefused(Problem("ledger.damaged", params={"what": str(found)[:200]}))


def shared_ledger(url: str, *, lock_wait_s: float = LOCK_WAIT_S) -> Ledger:
    """Return this process's one ledger at `url`. Open it on first use, and again when its file was replaced.

    Only `close_ledgers` closes it. Raises the errors of `Ledger.open`.
    """
    key = (url, lock_wait_s)
    with _SHARED_LOCK:
        ledger = _SHARED.get(key)
        if ledger is not None and not ledger.is_in_place:
            # Somebody may still use it, so it stays open until the process ends.
            _REPLACED.append(_SHARED.pop(key))
            ledger = None
        if ledger is None:
            ledger = _SHARED[key] = Ledger.open(url, lock_wait_s=lock_wait_s)
        else:
            ledger.bring_up_to_date(migrate=True)
        return ledger


def close_ledgers() -> None:
    """Close every shared ledger of this process."""
    with _SHARED_LOCK:
        opened = [*_SHARED.values(), *_REPLACED]
        _SHARED.clear()
        _REPLACED.clear()
    for ledger in opened:
        ledger.close()


def _forget_ledgers() -> None:
    """Drop the parent's connections in a forked child without closing them.

    Closing them would end the parent's session.
    """
    global _SHARED_LOCK  # noqa: PLW0603 - another thread of the parent may have held it
    _SHARED_LOCK = threading.Lock()
    _INHERITED.extend((*_SHARED.values(), *_REPLACED))
    _SHARED.clear()
    _REPLACED.clear()


_SHARED: Final[dict[tuple[str, float], Ledger]] = {}
_REPLACED: Final[list[Ledger]] = []
_INHERITED: Final[list[Ledger]] = []
"""Keeps the parent's ledgers referenced, so that nothing closes their connections."""
_SHARED_LOCK = threading.Lock()
atexit.register(close_ledgers)
os.register_at_fork(after_in_child=_forget_ledgers)


def _file_of(engine: sa.Engine) -> tuple[int, int] | None:
    """Return device and inode of a SQLite file, None if there is no file."""
    if engine.dialect.name != "sqlite":
        return None
    try:
        found = Path(engine.url.database or "").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


async def _run_on(threads: Executor, job: Callable[[], T]) -> T:
    work = asyncio.get_running_loop().run_in_executor(threads, job)
    # Read the job's error here: after a cancelled wait nobody else does, and asyncio would print its traceback.
    work.add_done_callback(lambda done: done.cancelled() or done.exception())
    return await asyncio.shield(work)


def version_of(conn: sa.Connection) -> str | None:
    """Return the ledger's newest migration, or None for an empty database.

    Raises `LedgerRefused` (`ledger.foreign`) if the database has other tables.
    """
    names = {name for (name,) in conn.exec_driver_sql(_TABLES[conn.dialect.name])}
    if "alembic_version" in names and "legal_moves" in names:
        return str(conn.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())
    if names:
        raise LedgerRefused(Problem("ledger.foreign"))
    return None


def _migrate(conn: sa.Connection) -> None:
    """Run the missing migrations. If two processes open a new ledger at once, the second finds it migrated."""
    if conn.dialect.name == "postgresql":
        conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
    version = version_of(conn)
    if version == HEAD:
        return
    _refuse_newer(version)
    steps.upgrade(conn)


def _refuse_newer(version: str | None) -> None:
    if version is not None and version not in steps.revisions():
        raise LedgerRefused(Problem("ledger.newer", params={"theirs": version, "ours": HEAD}))


_CHECKED: Final[set[str]] = set()
_CHECKED_AT_START: Final = 256 * 1024 * 1024
"""The most bytes of a SQLite file that a process checks at its start (about half a second).

`verify` checks larger files.
"""
