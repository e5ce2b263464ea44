"""Detach a month: write its file, read it back, store it as the month's file, and then empty the month's tables.

A process that is killed leaves a file that belongs to no month, or a detached month that is not emptied yet. The next
process writes the same file again, or continues to empty the tables. Of two processes at once, the second finds the
month detached.
"""

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
from connectors.ledger.backup.line_files import UnusableCopy, Whole, read_lines, write_lines
from connectors.ledger.database.sql import clock
from connectors.ledger.detached.contents import FORMATS, Scope, head_of_month, parts_of, scope_of
from connectors.ledger.detached.emptying import empty_month
from connectors.ledger.detached.months import DetachedMonth, detach_problem, detached_among, size_of, unemptied_months
from connectors.ledger.engine import Ledger
from connectors.synced_folders import sync_folder
from domain.competence import format_competence
from domain.problems import FaturistaError, Problem

SUFFIX: Final = ".jsonl.gz"
_SHOWN: Final = 12
_LEFT_S: Final = 86_400


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

    `share` stores the checked file elsewhere, too.

    Raises `FaturistaError` for a month that cannot be detached, `UnusableCopy` for a file that differs from the ledger,
    the `OSError` of the file, and the errors of `share`. After these errors nothing was deleted from the tables.
    """
    written = ledger.read(_write, competence, folder, recipients)
    if written is None:
        return None
    path, scope, whole = written
    cents = _prove(ledger, path, scope, whole, identities)
    share(path)
    if not ledger.write(_enter, scope, whole, file=path.name, cents=cents, by=by):
        return None
    _clear(folder, competence, path)
    _empty(ledger, competence, path, identities)
    return path


def continue_emptying(ledger: Ledger, month: DetachedMonth, folder: Path, identities: Sequence[Identity] = ()) -> Path:
    """Empty the tables of a month that a killed process had detached. Return the path of the month's file.

    Raises `FaturistaError` (`ledger.detach_file`) if the file is not in `folder` or is not the month's.
    """
    path = folder / month.file
    try:
        whole = read_lines(path, formats=FORMATS, identities=identities)
    except UnusableCopy as error:
        raise FaturistaError(_no_file(month)) from error
    if (whole.sha256, whole.rows) != (month.sha256, month.counts):
        raise FaturistaError(_no_file(month))
    _empty(ledger, month.competence, path, identities)
    return path


def _no_file(month: DetachedMonth) -> Problem:
    return Problem("ledger.detach_file", params={"month": format_competence(month.competence), "file": month.file})


def _empty(ledger: Ledger, competence: date, path: Path, identities: Sequence[Identity]) -> None:
    for _ in empty_month(ledger, competence, path, identities):
        pass


def _write(
    conn: sa.Connection, competence: date, folder: Path, recipients: Sequence[Recipient]
) -> tuple[Path, Scope, Whole] | None:
    if detached_among(conn, {competence}):
        return None
    _refuse_detach_problem(conn, competence)
    scope = scope_of(conn, competence)
    unnamed = folder / f".{competence:%Y-%m}.{token_hex(4)}.new"
    try:
        whole = write_lines(unnamed, head_of_month(conn, scope), parts_of(conn, scope), recipients=recipients)
        # The name depends on the content, so that no process replaces a file that another process has checked.
        ending = f"{SUFFIX}{ENCRYPTED}" if recipients else SUFFIX
        path = unnamed.replace(folder / f"{competence:%Y-%m}-{whole.sha256[:_SHOWN]}{ending}")
    finally:
        unnamed.unlink(missing_ok=True)
    sync_folder(folder)
    return path, scope, whole


def _prove(ledger: Ledger, path: Path, scope: Scope, whole: Whole, identities: Sequence[Identity]) -> int:
    """Read the file back and compare row counts, digest, and the invoices' sum. Return the sum in cents.

    Raises `UnusableCopy` for a damaged file, and `FaturistaError` (`ledger.detach_changed`) if the ledger has changed.
    """
    place = tables.invoices.columns.keys().index("service_cents")
    cents = 0

    def add(table: str, row: list[Any]) -> None:
        nonlocal cents
        if table == "invoices":
            cents += row[place]

    reread = read_lines(path, formats=FORMATS, identities=identities, use=add)
    if (reread.rows, reread.sha256) != (whole.rows, whole.sha256):
        raise UnusableCopy(Problem("ledger.copy_damaged"))
    size = ledger.read(size_of, scope.competence)
    if (reread.rows["invoices"], cents) != (size.invoices, size.service_cents):
        raise FaturistaError(Problem("ledger.detach_changed"))
    return cents


def _enter(conn: sa.Connection, scope: Scope, whole: Whole, *, file: str, cents: int, by: str) -> bool:
    """Store the month as detached into its checked file; then it stays closed. Return False if it was detached before.

    Raises `FaturistaError` if the month or the journal has changed meanwhile.
    """
    closings = tables.closings
    is_current = sa.and_(closings.c.competence == scope.competence, closings.c.reopened_at.is_(None))
    # Lock the closing: a process that reopens or detaches the month waits.
    conn.execute(sa.select(closings.c.id).where(is_current).with_for_update())
    if detached_among(conn, {scope.competence}):
        return False
    _refuse_detach_problem(conn, scope.competence)
    # Earlier months must be emptied first, because the carried states are stored in the journal's order.
    if scope_of(conn, scope.competence) != scope or unemptied_months(conn):
        raise FaturistaError(Problem("ledger.detach_changed"))
    line = {
        "competence": scope.competence,
        "file": file,
        "sha256": whole.sha256,
        "counts": dict(whole.rows),
        "service_cents": cents,
        "last_event": scope.until,
        "detached_by": by,
    }
    conn.execute(sa.insert(tables.detached_months).values(**line, detached_at=clock(conn)))
    return True


def _clear(folder: Path, competence: date, kept: Path) -> None:
    """Delete what killed processes left of this month: other versions of its file, and day-old temporary files."""
    for other in folder.glob(f"{competence:%Y-%m}-*"):
        if other.name != kept.name:
            other.unlink(missing_ok=True)
    for part in folder.glob(f".*{competence:%Y-%m}.*"):
        if part.stat().st_mtime < time.time() - _LEFT_S:
            part.unlink(missing_ok=True)


def _refuse_detach_problem(conn: sa.Connection, competence: date) -> None:
    problem = detach_problem(conn, competence)
    if problem is not None:
        raise FaturistaError(problem)
