"""Errors of the ledger's database, and their translation into sentences for an operator."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa

from domain.problems import FaturistaError, Problem

UNDONE: Final = frozenset({"40001", "40P01"})
"""SQL states with which PostgreSQL undoes a transaction because of another one: run it again."""
_SIGNS: Final = {
    "ledger.disk_full": ("SQLITE_FULL", "SQLITE_IOERR", "53100", "58030"),
    "ledger.locked": ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03", *sorted(UNDONE)),
}
"""Beginnings of SQLite's error names and PostgreSQL's states, by problem code."""


_REASONS: Final = {
    "ledger.no_database": ("does not exist",),
    "ledger.denied": ("password authentication failed", "no password supplied", "no pg_hba.conf entry"),
    "ledger.connection_refused": ("Connection refused", "No such file or directory"),
    "ledger.no_host": ("resolve host", "translate host name", "Name or service not known"),
}
"""Parts of what the driver says of a connection that failed, by problem code: PostgreSQL gives it no state."""


class LedgerRefused(FaturistaError):
    """This ledger cannot be used as it is: its address is wrong, or it was written by a newer version."""


class LedgerUnavailable(FaturistaError):
    """The database did not answer, was locked for too long, or went away: nothing is known to be committed."""


@contextmanager
def translated() -> Iterator[None]:
    """Raise `LedgerUnavailable` in place of the driver's operational errors; let all others pass."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.InternalError):
            raise
        raise LedgerUnavailable(_why_unavailable(error.orig)) from error
    except sa.exc.TimeoutError as error:
        raise LedgerUnavailable(Problem("ledger.unavailable", params={"reason": "TimeoutError"})) from error


def is_undone(error: LedgerUnavailable) -> bool:
    """Return whether PostgreSQL undid the transaction because of another one."""
    return getattr(getattr(error.__cause__, "orig", None), "sqlstate", None) in UNDONE


def _why_unavailable(error: BaseException | None) -> Problem:
    """Tell a full disk, somebody else's lock and a lost database apart."""
    sign = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or type(error).__name__
    code = next((code for code, signs in _SIGNS.items() if sign.startswith(signs)), "")
    return Problem(code or _why_unconnected(str(error)), params={"reason": sign})


def _why_unconnected(text: str) -> str:
    """Tell a server that is away, a missing database and a wrong password apart."""
    return next((code for code, parts in _REASONS.items() if any(part in text for part in parts)), "ledger.unavailable")
