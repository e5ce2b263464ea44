"""Detach a month: write its file, read it back, and only then take its content out of the tables, in one transaction.

A process that is killed leaves a file that no month names, or a detached month. A repetition finds the month detached,
or writes the same file again. Of two processes, the second one waits for the locks of the first and finds the same.
"""

import os
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import tables
from connectors.ledger.backup.encryption import SUFFIX as ENCRYPTED
from connectors.ledger.backup.encryption import Identity, Recipient
from connectors.ledger.backup.line_files import UnusableCopy, Whole, digest_lines, read_lines, write_lines
from connectors.ledger.database.sql import clock, is_sqlite
from connectors.ledger.detached.carried import carry
from connectors.ledger.detached.contents import (
    FORMATS,
    Scope,
    batches_of_month,
    head_of_month,
    parts_of,
    rows_of_month,
    scope_of,
)
from connectors.ledger.detached.months import detached_among, invoices_of_month, obstacle, size_of
from connectors.ledger.engine import Ledger
from domain.problems import FaturistaError, Problem

SUFFIX: Final = ".jsonl.gz"
_SHOWN: Final = 12
_LEFT_S: Final = 86_400
_found: Final = tables.metadata.tables


def detach_month(
    ledger: Ledger,
    competence: date,
    folder: Path,
    *,
    by: str,
    recipients: Sequence[Recipient] = (),
    identities: Sequence[Identity] = (),
    share: Callable[[Path], object] = lambda _: None,
) -> Path | None:
    """Detach one month into a file in `folder`. Return its path, or None if the month is detached already.

    `share` stores the proved file elsewhere, too; where it raises, nothing is removed.

    Raises `FaturistaError` for a month that cannot be detached, and `UnusableCopy` for a file that does not say what
    the ledger says; then nothing was removed. Raises the `OSError` of the file.
    """
    written = ledger.read(_write, competence, folder, recipients)
    if written is None:
        return None
    path, scope, whole = written
    _prove(ledger, path, scope, whole, identities)
    share(path)
    is_done = ledger.write(_remove, scope, whole, file=path.name, by=by)
    if not is_done:
        return None
    _clear(folder, competence, path)
    return path


def _write(
    conn: sa.Connection, competence: date, folder: Path, recipients: Sequence[Recipient]
) -> tuple[Path, Scope, Whole] | None:
    if detached_among(conn, {competence}):
        return None
    _refuse_obstacle(conn, competence)
    scope = scope_of(conn, competence)
    unnamed = folder / f".{competence:%Y-%m}.{token_hex(4)}.new"
    try:
        whole = write_lines(unnamed, head_of_month(conn, scope), parts_of(conn, scope), recipients=recipients)
        # another content has another name: no process replaces a file that another one has proved
        ending = f"{SUFFIX}{ENCRYPTED}" if recipients else SUFFIX
        path = unnamed.replace(folder / f"{competence:%Y-%m}-{whole.sha256[:_SHOWN]}{ending}")
    finally:
        unnamed.unlink(missing_ok=True)
    _sync(folder)
    return path, scope, whole


def _prove(ledger: Ledger, path: Path, scope: Scope, whole: Whole, identities: Sequence[Identity]) -> None:
    """Read the file back and compare counts, the sum of money and the digest. Raises `UnusableCopy`."""
    place = tables.invoices.columns.keys().index("service_cents")
    cents = 0

    def add(table: str, row: list[Any]) -> None:
        nonlocal cents
        if table == "invoices":
            cents += row[place]

    again = read_lines(path, formats=FORMATS, identities=identities, use=add)
    if (again.rows, again.sha256) != (whole.rows, whole.sha256):
        raise UnusableCopy(Problem("ledger.copy_damaged"))
    size = ledger.read(size_of, scope.competence)
    if (again.rows["invoices"], cents) != (size.invoices, size.service_cents):
        raise FaturistaError(Problem("ledger.detach_changed"))


def _remove(conn: sa.Connection, scope: Scope, whole: Whole, *, file: str, by: str) -> bool:
    """Compare the tables with the file once more, and take out what the file has. Return False if that was done."""
    _lock(conn, scope.competence)
    if detached_among(conn, {scope.competence}):
        return False
    _refuse_obstacle(conn, scope.competence)
    if digest_lines(head_of_month(conn, scope), parts_of(conn, scope)).sha256 != whole.sha256:
        raise FaturistaError(Problem("ledger.detach_changed"))
    line = {
        "competence": scope.competence,
        "file": file,
        "sha256": whole.sha256,
        "counts": dict(whole.rows),
        "service_cents": size_of(conn, scope.competence).service_cents,
        "last_event": scope.until,
        "detached_by": by,
    }
    conn.execute(sa.insert(tables.detached_months).values(**line, detached_at=clock(conn)))
    carry(conn, after=scope.after, until=scope.until)
    events, attempts, rows, invoices = tables.events, tables.attempts, tables.rows, tables.invoices
    conn.execute(sa.delete(events).where(events.c.id > scope.after, events.c.id <= scope.until))
    conn.execute(sa.delete(attempts).where(attempts.c.batch_id.in_(batches_of_month(_found, scope.competence))))
    bare = sa.update(rows).where(rows_of_month(_found, scope.competence))
    conn.execute(bare.values(cells={}, line=None, problems=[]))
    emptied = sa.update(invoices).where(invoices.c.id.in_(invoices_of_month(_found, scope.competence, "id")))
    conn.execute(emptied.values(content="{}", errors=[]))
    return True


def _lock(conn: sa.Connection, competence: date) -> None:
    """Wait for whoever changes the month, and keep everybody from it; a line that hangs on one of its rows waits, too.

    SQLite has one writer.
    """
    if is_sqlite(conn):
        return
    invoices = tables.invoices.c.id.in_(invoices_of_month(_found, competence, "id"))
    for table, is_theirs in (
        (tables.batches, tables.batches.c.competence == competence),
        (tables.invoices, invoices),
        (tables.rows, rows_of_month(_found, competence)),
    ):
        held = sa.select(table.c.id).where(is_theirs).order_by(table.c.id)
        conn.execute(sa.select(sa.func.count()).select_from(held.with_for_update().subquery()))


def _clear(folder: Path, competence: date, kept: Path) -> None:
    """Delete what killed processes left of this month: other contents, and parts that nobody writes any more."""
    for other in folder.glob(f"{competence:%Y-%m}-*"):
        if other.name != kept.name:
            other.unlink(missing_ok=True)
    for part in folder.glob(f".*{competence:%Y-%m}.*"):
        if part.stat().st_mtime < time.time() - _LEFT_S:
            part.unlink(missing_ok=True)


def _refuse_obstacle(conn: sa.Connection, competence: date) -> None:
    problem = obstacle(conn, competence)
    if problem is not None:
        raise FaturistaError(problem)


def _sync(folder: Path) -> None:
    """Make the file's name survive a power failure, before anything is removed."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
