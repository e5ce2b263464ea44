"""Errors of the ledger's database, and the translation of the drivers' errors into them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa

from domain.problems import FaturistaError, Problem

UNDONE: Final = frozenset({"40001", "40P01"})
"""SQL states of a transaction that PostgreSQL rolled back because of another transaction: run it again."""
_SIGNS: Final = {
    "ledger.disk_full": ("SQLITE_FULL", "SQLITE_IOERR", "53100", "58030"),
    "ledger.no_access": ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM"),
    "ledger.locked": ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03", *sorted(UNDONE)),
}
"""Prefixes of SQLite's error names and PostgreSQL's SQL states, by problem code."""
_DAMAGED: Final = ("SQLITE_CORRUPT", "XX001", "XX002")
_LACKING: Final = ("no such table", "no such column", "has no column named")
"""Parts of SQLite's messages about a missing table or column, for which SQLite has no error name."""
_LACKING_STATES: Final = ("42P01", "42703")

_REASONS: Final = {
    "ledger.no_database": ("does not exist",),
    "ledger.denied": ("password authentication failed", "no password supplied", "no pg_hba.conf entry"),
    "ledger.connection_refused": ("Connection refused", "No such file or directory"),
    "ledger.no_host": ("resolve host", "translate host name", "Name or service not known"),
}
"""Parts of the driver's message about a failed connection, by problem code: these errors have no SQL state."""


class LedgerRefused(FaturistaError):
    """This ledger cannot be used: its address is wrong, another version wrote it, or it is damaged."""


class LedgerUnavailable(FaturistaError):
    """The database did not answer, was locked for too long, or disconnected: a commit may or may not have happened."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise `LedgerUnavailable` instead of the driver's operational errors.

    Raise `LedgerRefused` for a damaged file, and for a missing table or column. Let all other errors pass.
    """
    try:
        yield
    except sa.exc.DBAPIError as error:
        refusal = _why_refused(error.orig)
        if refusal is not None:
            raise LedgerRefused(refusal) from error
        if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.InternalError):
            raise
        raise LedgerUnavailable(_why_unavailable(error.orig)) from error
    except sa.exc.TimeoutError as error:
        raise LedgerUnavailable(Problem("ledger.unavailable", params={"reason": "TimeoutError"})) from error


def is_rolled_back(error: LedgerUnavailable) -> bool:
    """Return whether PostgreSQL rolled the transaction back because of another one."""
    return getattr(getattr(error.__cause__, "orig", None), "sqlstate", None) in UNDONE


def _why_refused(error: BaseException | None) -> Problem | None:
    sign, lines = _sign_of(error), str(error).splitlines()
    if sign.startswith(_DAMAGED):
        return Problem("ledger.damaged", params={"what": sign})
    is_lacking = sign == "SQLITE_ERROR" and any(part in lines[0] for part in _LACKING)
    if is_lacking or sign in _LACKING_STATES:
        return Problem("ledger.other_tables", params={"what": lines[0]})
    return None


def _why_unavailable(error: BaseException | None) -> Problem:
    """Return the problem of a full disk, a lock or a failed connection."""
    sign = _sign_of(error)
    code = next((code for code, signs in _SIGNS.items() if sign.startswith(signs)), "")
    return Problem(code or _connection_problem(str(error)), params={"reason": sign})


def _sign_of(error: BaseException | None) -> str:
    """Return SQLite's name of an error or PostgreSQL's SQL state. Without both, return the class name."""
    return getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or type(error).__name__


def _connection_problem(text: str) -> str:
    """Return the problem code of an absent server, a missing database or a wrong password."""
    return next((code for code, parts in _REASONS.items() if any(part in text for part in parts)), "ledger.unavailable")
