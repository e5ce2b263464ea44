"""A copy of the whole ledger in one file, the same for SQLite and PostgreSQL, made while others work.

The file is gzip of JSON lines in UTF-8, so that any language can read it without this project:

1. `{"format": "faturista-ledger", "edition": 1, "version": "0005", "taken_at": …, "account": …,
   "head": the newest seal of the journal}`;
2. for each table `{"table": name, "columns": [name, …]}` and then its rows, each a JSON array in the order of the
   columns. Instants are whole microseconds since 1970-01-01 UTC, dates `YYYY-MM-DD`, amounts cents, JSON stays JSON;
3. `{"end": {table: number of rows, …}, "sha256": …}`: the digest of all bytes before this line.

A copy holds everything in the ledger, personal data and the secret of row tags included: only its owner may read the
file. Recipients get it encrypted with age (`encryption`). The file `<name>.head` beside it names no person:
`{"taken_at": …, "head": …}`. With it, a person who cannot decrypt the copy can still compare the journal's seals. The
copy leaves out the rate limits and the table of legal moves, which each version creates anew.
"""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.encryption import Identity, Recipient, decrypting, encrypting, is_encrypted
from connectors.ledger.backup.seals import head_of
from connectors.ledger.database.files import make_folder, open_new
from connectors.ledger.database.sql import now
from connectors.ledger.engine import version_of
from connectors.ledger.mirror import tables as mirror
from domain.problems import FaturistaError, Problem

FORMAT: Final = "faturista-ledger"
EDITION: Final = 1
LEFT_OUT: Final = frozenset(
    {"legal_moves", "paces", "request_slots", "alerts", "answers", "latencies", "hints", "deliveries"}
)
_AT_ONCE: Final = 1_000
_LONGEST_LINE: Final = 64 * 1024 * 1024


class UnusableCopy(FaturistaError):
    """The file is no copy of a ledger, is truncated, or was changed."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The header of a copy. `taken_at` is an aware instant not later than the content."""

    version: str
    taken_at: datetime
    account: str | None
    rows: Mapping[str, int]
    sha256: str
    head: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One table of a copy, its rows in groups."""

    table: str
    columns: list[str]
    groups: Iterator[list[list[Any]]]


def write_copy(
    conn: sa.Connection,
    path: Path,
    *,
    recipients: Sequence[Recipient] = (),
    on_table: Callable[[str], None] = lambda _: None,
) -> Copy:
    """Write this snapshot of the ledger to `path`, completely or not at all, readable by its owner only.

    With recipients, encrypt it for them.
    """
    taken_at = now(conn)
    version = version_of(conn)
    assert version is not None
    account = conn.execute(sa.select(tables.account.c.name)).scalar_one_or_none()
    sealed = head_of(conn)
    newest = None if sealed is None else str(sealed)
    head = {"format": FORMAT, "edition": EDITION, "version": version, "head": newest}
    counts: dict[str, int] = {}
    with _new_file(path, recipients) as put:
        digest = hashlib.sha256()

        def say(value: Any) -> None:
            line = _dump(value)
            digest.update(line)
            put(line)

        say({**head, "taken_at": taken_at.isoformat(), "account": account})
        for table in stored_tables(conn):
            on_table(table.name)
            say({"table": table.name, "columns": [column.name for column in table.columns]})
            counts[table.name] = 0
            with rows_in_order(conn, table) as rows:
                for group in rows.partitions():
                    for row in group:
                        say([_plain(value) for value in row])
                    counts[table.name] += len(group)
        put(_dump({"end": counts, "sha256": digest.hexdigest()}))
    if recipients:
        with os.fdopen(open_new(head_file(path), is_replaced=True), "wb") as file:
            file.write(_dump({"taken_at": taken_at.isoformat(), "head": newest}))
    return Copy(version, taken_at, account, counts, digest.hexdigest(), newest)


def head_file(path: Path) -> Path:
    """Return the path of the file that names the journal's head beside an encrypted copy."""
    return path.with_name(f"{path.name}.head")


def written_head(path: Path) -> tuple[datetime, str | None]:
    """Return when a copy was taken and the head of its journal, without reading the rest.

    For an encrypted copy, read the file beside it. Raises `UnusableCopy`.
    """
    with _refusing():
        if is_encrypted(path):
            head = json.loads(head_file(path).read_bytes())
        else:
            with gzip.open(path, "rb") as file:
                head = _head(json.loads(file.readline(_LONGEST_LINE)))
        return datetime.fromisoformat(head["taken_at"]), head.get("head")


def stored_tables(conn: sa.Connection) -> list[sa.Table]:
    """Return the ledger's tables as they are in this database, whatever its version; referenced tables come first."""
    known = {table.name for table in mirror.metadata.sorted_tables} - LEFT_OUT
    present = frozenset(known & set(sa.inspect(conn).get_table_names()))
    kind = (conn.dialect.name, version_of(conn), present)
    tables_found = _REFLECTED.get(kind)
    if tables_found is None:
        tables_found = _REFLECTED[kind] = _reflected(conn, present)
    return tables_found


def _reflected(conn: sa.Connection, present: Collection[str]) -> list[sa.Table]:
    found = sa.MetaData()
    found.reflect(conn, only=sorted(present))
    for table in found.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, sa.JSON):
                column.type = sa.JSON(none_as_null=bool(column.nullable))
    return [table for table in found.sorted_tables if table.name in present]


_REFLECTED: Final[dict[tuple[str, str | None, frozenset[str]], list[sa.Table]]] = {}
"""The tables by database, version and names: a version has the same columns wherever it is, and asking takes long."""


def rows_in_order(conn: sa.Connection, table: sa.Table) -> sa.CursorResult[Any]:
    """Return every row in the order of its key, fetched lazily."""
    query = sa.select(table).order_by(*table.primary_key.columns)
    return conn.execute(query, execution_options={"yield_per": _AT_ONCE})


@contextmanager
def open_copy(path: Path, identities: Sequence[Identity] = ()) -> Iterator[tuple[Copy, Iterator[Part]]]:
    """Yield the copy's header and its tables, one after the other; read each table to its end.

    First read the whole file once, so that nothing comes from a truncated file. Raises `UnusableCopy` and
    `Undecipherable`.
    """
    copy = read_copy(path, identities)
    with decrypting(path, identities) as plain, gzip.open(plain, "rb") as file:
        lines = _lines(file)
        next(lines)
        yield copy, _parts(lines)


def read_copy(path: Path, identities: Sequence[Identity] = ()) -> Copy:
    """Read the whole copy and compare it with its own digest and counts. Raises `UnusableCopy`, `Undecipherable`."""
    with _refusing(), decrypting(path, identities) as plain, gzip.open(plain, "rb") as file:
        digest = hashlib.sha256()
        counts: dict[str, int] = {}
        head: dict[str, Any] | None = None
        table = ""
        for line in _lines(file):
            said = json.loads(line)
            if head is None:
                head = _head(said)
            elif isinstance(said, list):
                counts[table] += 1
            elif "table" in said:
                table = said["table"]
                counts[table] = 0
            elif (said["end"], said["sha256"]) == (counts, digest.hexdigest()):
                taken_at = datetime.fromisoformat(head["taken_at"])
                return Copy(head["version"], taken_at, head["account"], counts, digest.hexdigest(), head.get("head"))
            else:
                break
            digest.update(line)
    raise UnusableCopy(Problem("ledger.copy_damaged"))


def _head(said: Any) -> dict[str, Any]:
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise UnusableCopy(Problem("ledger.no_copy"))
    if said.get("edition") != EDITION:
        raise UnusableCopy(Problem("ledger.copy_newer", params={"edition": str(said.get("edition"))[:20]}))
    return said


def _parts(lines: Iterator[bytes]) -> Iterator[Part]:
    said = json.loads(next(lines))
    while "table" in said:
        following: list[Any] = []
        yield Part(said["table"], said["columns"], _rows(lines, following))
        said = following[0]


def _rows(lines: Iterator[bytes], following: list[Any]) -> Iterator[list[list[Any]]]:
    """Yield groups of rows up to the first line that is no row; store that line in `following`."""
    group: list[list[Any]] = []
    for line in lines:
        said = json.loads(line)
        if not isinstance(said, list):
            following.append(said)
            break
        group.append(said)
        if len(group) == _AT_ONCE:
            yield group
            group = []
    if group:
        yield group


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _lines(file: gzip.GzipFile) -> Iterator[bytes]:
    while line := file.readline(_LONGEST_LINE):
        yield line


@contextmanager
def _new_file(path: Path, recipients: Sequence[Recipient]) -> Iterator[Callable[[bytes], object]]:
    make_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(open_new(partial, is_replaced=True), "wb") as raw:
            # the archive has no name and no time: the same ledger gives the same bytes
            with (
                encrypting(raw, recipients) as plain,
                gzip.GzipFile("", "wb", compresslevel=6, fileobj=plain, mtime=0) as file,
            ):
                yield file.write
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except gzip.BadGzipFile as error:
        raise UnusableCopy(Problem("ledger.no_copy")) from error
    except (EOFError, zlib.error, ValueError, LookupError, TypeError) as error:
        raise UnusableCopy(Problem("ledger.copy_damaged")) from error
    except OSError as error:
        raise UnusableCopy(Problem("ledger.copy_missing")) from error
