"""Scenes that many tests begin with: made once in a run by the stations themselves, and copied for each test.

A scene is all that the sandbox, the ledger and its folder hold afterwards. A test gets a copy only where nothing came
before: no setting changed, no command to the sandbox, nothing in the ledger. Every other test makes its scene anew, and
so does the first test of a day: invoices are dated. A copied scene is as old as the run; nothing in it is moved in
time, so a test must bear a pause after its scene, as on a slow machine.
"""

import contextlib
import dataclasses
import fcntl
import functools
import hashlib
import os
import pickle
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import pytest
import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.engine import shared_ledger
from domain.competence import BRASILIA
from tasks.issuance import emitters
from tasks.runtime import opening
from tests.ledgers import blank_file, postgresql_url, shared_folder, sqlite_url

if TYPE_CHECKING:
    from tests.tasks.workshop import Workshop

P = ParamSpec("P")
W = TypeVar("W", bound="Workshop")
T = TypeVar("T")

_NAMES: Final = tuple(table.name for table in tables.metadata.sorted_tables)
_OF_THE_PLACE: Final = frozenset(
    f"FATURISTA_{name}" for name in ("LEDGER__URL", "PATHS__HOME", "NFSE__BASE_URL", "PRODUCTS__BASE_URL")
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A scene: what its maker returned, and what sandbox, ledger and folder held afterwards.

    `tokens` are those whose account the process has asked for, and `checked` those with an emitter: it does so once for
    each ledger. `content` are the
    sandbox's tables that the scene changed. `ledger` is a SQLite file, or the rows of PostgreSQL. `papers` are the
    other files of the folder, by their place in it, with their permissions.
    """

    returned: Any
    files: int
    tokens: frozenset[str]
    checked: frozenset[tuple[str, int]]
    content: Any
    ledger: Any
    papers: dict[str, tuple[int, bytes]]


def scene(make: Callable[Concatenate[W, P], T]) -> Callable[Concatenate[W, P], T]:
    """Copy what this method of a workshop makes, wherever it is the first thing that happens in a test."""

    @functools.wraps(make)
    def begin(shop: W, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if not is_untouched(shop):
            return make(shop, *args, **kwargs)
        kept = _kept(shop, make, args, kwargs)
        _put(shop, kept)
        returned: T = kept.returned
        return returned

    return begin


def beginning(shop: "Workshop") -> tuple[int, dict[str, str]]:
    """Return a value that shows later whether the test changed anything but the ledger."""
    return shop.sandbox.changes, _settings()


def is_untouched(shop: "Workshop") -> bool:
    """Return whether nothing has happened in the workshop since it was opened."""
    return shop.file_count == 0 and beginning(shop) == shop.began and shop.read(_is_blank)


def _settings() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if name.startswith("FATURISTA_") and name not in _OF_THE_PLACE
    }


def _kept(shop: "Workshop", make: Callable[..., Any], args: Any, kwargs: Any) -> Kept:
    """Return the scene, which the first process of the run that needs it makes."""
    dialect = shop.ledger_url.partition(":")[0]
    today = datetime.now(BRASILIA).date()
    text = repr((type(shop).__name__, make.__qualname__, args, kwargs, dialect, today, sorted(_settings().items())))
    return _of_the_run(hashlib.sha256(text.encode()).hexdigest(), lambda: _made(shop, make, args, kwargs))


_LOADED: Final[dict[str, Kept]] = {}


def _of_the_run(key: str, make: Callable[[], Kept]) -> Kept:
    if key not in _LOADED:
        folder = shared_folder() / "scenes"
        folder.mkdir(exist_ok=True)
        with (folder / f"{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            path = folder / key
            if not path.exists():
                made = folder / f"{key}.made"
                made.write_bytes(pickle.dumps(make()))
                made.rename(path)
        _LOADED[key] = pickle.loads(path.read_bytes())
    return _LOADED[key]


def _made(shop: "Workshop", make: Callable[..., Any], args: Any, kwargs: Any) -> Kept:
    blank = shop.sandbox.control("content")
    with elsewhere(shop) as maker:
        returned = make(maker, *args, **kwargs)
        changed = shop.sandbox.control("content").items()
        content = {table: found for table, found in changed if found != blank[table]}
        held = maker.read(_rows) if maker.ledger_url.startswith("postgresql") else maker.read(_pages)
        papers = dict(_papers(maker.home))
        for place in (shop.sandbox.base_url, str(maker.home)):
            assert place.encode() not in pickle.dumps((returned, content, held, papers)), f"{place} is this scene's own"
        tokens = frozenset(token for _, token, url in opening._BOUND if url == maker.ledger_url)
        checked = frozenset((token, each) for _, token, url, each in emitters._CHECKED if url == maker.ledger_url)
        return Kept(returned, maker.file_count, tokens, checked, content, held, papers)


def _papers(home: Path) -> Iterator[tuple[str, tuple[int, bytes]]]:
    for path in home.rglob("*"):
        if path.is_file() and not path.name.startswith("ledger.db"):
            yield str(path.relative_to(home)), (path.stat().st_mode, path.read_bytes())


@contextmanager
def elsewhere(shop: W) -> Iterator[W]:
    """Yield a workshop with an empty ledger and a folder of its own, on the same sandbox and kind of database."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        home = Path(folder)
        if shop.ledger_url.startswith("sqlite"):
            shutil.copy(blank_file(), home / "ledger.db")
            url = sqlite_url(home)
        else:
            url = stack.enter_context(postgresql_url())
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        ledger = stack.enter_context(closing(shared_ledger(url)))
        other = dataclasses.replace(shop, ledger_url=url, home=home, _patch=patch, _ledger=ledger, _files=0)
        other.set(LEDGER__URL=url, PATHS__HOME=home)
        yield other


def _put(shop: "Workshop", kept: Kept) -> None:
    """Replace the blank content of the test's sandbox and ledger by the scene's."""
    shop.sandbox.control("content", kept.content)
    if shop.ledger_url.startswith("sqlite"):
        _put_pages(shop.ledger_url.removeprefix("sqlite:///"), kept.ledger)
    else:
        shop.write(_put_rows, *kept.ledger)
    for name, (mode, paper) in kept.papers.items():
        path = shop.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(paper)
        path.chmod(mode)
    place = shop.sandbox.base_url
    opening._BOUND.update((place, token, shop.ledger_url) for token in kept.tokens)
    emitters._CHECKED.update((place, token, shop.ledger_url, each) for token, each in kept.checked)
    shop.continue_after(kept.files)


def _pages(conn: sa.Connection) -> bytes:
    """Return a SQLite ledger as one file."""
    with closing(sqlite3.connect(":memory:")) as copy:
        driver = conn.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.backup(copy)
        return copy.serialize()


def _put_pages(path: str, pages: bytes) -> None:
    # SQLite opens a file in write-ahead mode from a disk only.
    with closing(sqlite3.connect(path)) as ledger, tempfile.NamedTemporaryFile() as file:
        file.write(pages)
        file.flush()
        with closing(sqlite3.connect(f"file:{file.name}?immutable=1", uri=True)) as source:
            source.backup(ledger)


def _rows(conn: sa.Connection) -> tuple[dict[str, str], dict[str, int]]:
    """Return the rows of every table that the migration leaves empty, and the last number of every sequence."""
    each = (
        f"SELECT '{name}', (SELECT json_agg(t)::text FROM \"{name}\" t)" for name in _NAMES if name not in _filled()
    )
    rows = {name: text for name, text in conn.exec_driver_sql(" UNION ALL ".join(each)) if text}
    numbers = conn.exec_driver_sql("SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL")
    return rows, dict(numbers.tuples().all())


def _put_rows(conn: sa.Connection, rows: dict[str, str], numbers: dict[str, int]) -> None:
    # The rows are a ledger's own: its guards have seen them once.
    conn.exec_driver_sql("SET LOCAL session_replication_role = replica")
    for name, text in rows.items():
        conn.exec_driver_sql(
            f'INSERT INTO "{name}" OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::"{name}", %s)',
            (text,),
        )
    for name, number in numbers.items():
        conn.exec_driver_sql("SELECT setval(%s::regclass, %s)", (name, number))


def _is_blank(conn: sa.Connection) -> bool:
    found = {name for (name,) in conn.exec_driver_sql(_NOT_EMPTY)}
    return found == _filled()


# One question about all tables: in each, the first row is enough.
_NOT_EMPTY: Final = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in _NAMES)


@functools.cache
def _filled() -> frozenset[str]:
    """Return the tables that the migration itself fills."""
    with closing(sqlite3.connect(blank_file())) as blank:
        return frozenset(name for (name,) in blank.execute(_NOT_EMPTY))
