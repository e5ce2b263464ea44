"""A copy of the whole ledger in one file (`line_files`), the same for SQLite and PostgreSQL, made while others work.

The file's first line is `{"format": "faturista-ledger", "edition": 1, "version": "0005", "taken_at": …, "account": …,
"head": the newest seal of the journal}`.

A copy has personal data and the secret of row tags: only its owner may read the file. Recipients get it encrypted with
age (`encryption`). The file `<name>.head` beside an encrypted copy names no person: `{"taken_at": …, "head": …}`. With
it, a person who cannot decrypt the copy can still compare the journal's seals. The tables in `LEFT_OUT` are not copied:
the legal moves, which each version creates, and data without which a ledger works, such as rate limits and alerts.
"""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.encryption import Identity, Recipient, is_encrypted
from connectors.ledger.backup.line_files import (
    Part,
    dump_line,
    read_head,
    read_lines,
    reading_parts,
    translate_copy_errors,
    write_lines,
)
from connectors.ledger.backup.seals import head_of
from connectors.ledger.database.files import make_folder, open_new
from connectors.ledger.database.sql import now
from connectors.ledger.engine import version_of
from connectors.ledger.mirror import tables as mirror

FORMAT: Final = "faturista-ledger"
EDITION: Final = 1
LEFT_OUT: Final = frozenset(
    {"legal_moves", "rate_limits", "request_slots", "alerts", "answers", "latencies", "hints", "deliveries"}
)
_FORMATS: Final = {FORMAT: EDITION}
_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Copy:
    """The description of a copy.

    `version` is the ledger's migration, `account` the provider's account, `rows` the row counts by table, and `head`
    the newest seal of the journal. `taken_at` is an aware instant not later than the content.
    """

    version: str
    taken_at: datetime
    account: str | None
    rows: Mapping[str, int]
    sha256: str
    head: str | None = None


def write_copy(
    conn: sa.Connection,
    path: Path,
    *,
    recipients: Sequence[Recipient] = (),
    on_table: Callable[[str], None] = lambda _: None,
) -> Copy:
    """Write this snapshot of the ledger to `path`, completely or not at all.

    Only the file's owner may read it. With recipients, encrypt it for them.
    """
    taken_at = now(conn)
    version = version_of(conn)
    assert version is not None
    account = conn.execute(sa.select(tables.account.c.name)).scalar_one_or_none()
    sealed = head_of(conn)
    newest = None if sealed is None else str(sealed)
    head: dict[str, Any] = {"format": FORMAT, "edition": EDITION, "version": version, "head": newest}
    head |= {"taken_at": taken_at.isoformat(), "account": account}

    def parts() -> Iterator[Part]:
        for table in stored_tables(conn):
            on_table(table.name)
            with rows_in_order(conn, table) as rows:
                yield Part(table.name, [column.name for column in table.columns], rows.partitions())

    try:
        if recipients:
            # Write this file first: the copy gets its name last, when both files are complete.
            make_folder(path.parent)
            with os.fdopen(open_new(head_file(path), is_replaced=True), "wb") as file:
                file.write(dump_line({"taken_at": taken_at.isoformat(), "head": newest}))
        whole = write_lines(path, head, parts(), recipients=recipients)
    except BaseException:
        with suppress(OSError):
            head_file(path).unlink(missing_ok=True)
        raise
    return Copy(version, taken_at, account, whole.rows, whole.sha256, newest)


def head_file(path: Path) -> Path:
    """Return the path of the file beside an encrypted copy that names the journal's newest seal."""
    return path.with_name(f"{path.name}.head")


def written_head(path: Path) -> tuple[datetime, str | None]:
    """Return when a copy was taken, and the newest seal of its journal. Read only the start of the file.

    For an encrypted copy, read the file beside it. Raises `UnusableCopy`.
    """
    with translate_copy_errors():
        head = json.loads(head_file(path).read_bytes()) if is_encrypted(path) else read_head(path, formats=_FORMATS)
        return datetime.fromisoformat(head["taken_at"]), head.get("head")


def stored_tables(conn: sa.Connection) -> list[sa.Table]:
    """Return the tables that a copy of this database includes; referenced tables come first.

    The database may have any version of the ledger.
    """
    known = {table.name for table in mirror.metadata.sorted_tables} - LEFT_OUT
    present = frozenset(known & set(sa.inspect(conn).get_table_names()))
    kind = (conn.dialect.name, version_of(conn), present)
    tables_found = _REFLECTED.get(kind)
    if tables_found is None:
        tables_found = _REFLECTED[kind] = _reflect_tables(conn, present)
    return tables_found


def _reflect_tables(conn: sa.Connection, present: Collection[str]) -> list[sa.Table]:
    found = sa.MetaData()
    found.reflect(conn, only=sorted(present))
    for table in found.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, sa.JSON):
                column.type = sa.JSON(none_as_null=bool(column.nullable))
    return [table for table in found.sorted_tables if table.name in present]


_REFLECTED: Final[dict[tuple[str, str | None, frozenset[str]], list[sa.Table]]] = {}
"""The reflected tables by dialect, version and names: a version has the same columns everywhere; reflection is slow."""


def rows_in_order(conn: sa.Connection, table: sa.Table) -> sa.CursorResult[Any]:
    """Return every row of a table in the order of its primary key, fetched lazily."""
    query = sa.select(table).order_by(*table.primary_key.columns)
    return conn.execute(query, execution_options={"yield_per": _AT_ONCE})


@contextmanager
def open_copy(path: Path, identities: Sequence[Identity] = ()) -> Iterator[tuple[Copy, Iterator[Part]]]:
    """Yield the description of a copy and an iterator over its tables. Raises `UnusableCopy` and `Undecipherable`.

    The whole file is read and checked first, so that no row comes from a truncated file. The caller must read each
    table to its end before the next one.
    """
    copy = read_copy(path, identities)
    with reading_parts(path, identities) as parts:
        yield copy, parts


def read_copy(path: Path, identities: Sequence[Identity] = ()) -> Copy:
    """Read a whole copy, check its digest and row counts, and describe it. Raises `UnusableCopy`, `Undecipherable`."""
    whole = read_lines(path, formats=_FORMATS, identities=identities)
    with translate_copy_errors():
        taken_at = datetime.fromisoformat(whole.head["taken_at"])
        return Copy(
            whole.head["version"], taken_at, whole.head["account"], whole.rows, whole.sha256, whole.head.get("head")
        )
