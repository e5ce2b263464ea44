"""PostgreSQL sessions that a worker's tests use in turn.

A new session reads the catalogue and compiles the triggers that it meets: half of what the server does in a test.
"""

import os
import threading
from typing import Any, Final, TypeAlias

import psycopg
import sqlalchemy as sa

_KEPT_AT_MOST: Final = 4
_Key: TypeAlias = tuple[object, ...]


class KeptSessions:
    """The idle sessions of one database that this process closed, for its next connections.

    A session that is used again has its first settings and no locks. It keeps its prepared statements.
    """

    def __init__(self, database: str) -> None:
        self._database = database
        self._idle: list[_Session] = []
        self._lock = threading.Lock()
        self._process = os.getpid()
        sa.event.listen(sa.Engine, "do_connect", self._connect)

    @property
    def idle(self) -> list[int]:
        """The process ids of the idle sessions at the server."""
        return [each.info.backend_pid for each in self._idle]

    def end(self) -> None:
        """End the idle sessions and keep no other."""
        sa.event.remove(sa.Engine, "do_connect", self._connect)
        self._process = 0
        while self._idle:
            self._idle.pop().end()

    def keep(self, session: "_Session") -> bool:
        """Keep a session that its user closes. Return False for a session that has to end."""
        with self._lock:
            if session in self._idle:
                return True
            is_kept = (
                os.getpid() == self._process
                and len(self._idle) < _KEPT_AT_MOST
                and session.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            )
            if is_kept:
                self._idle.append(session)
            return is_kept

    def _connect(
        self, dialect: sa.Dialect, _record: object, _args: object, params: dict[str, Any]
    ) -> "_Session | None":
        """Return a session for a new connection of an engine; None leaves it to the engine."""
        if dialect.name != "postgresql" or params.get("dbname") != self._database or os.getpid() != self._process:
            return None
        key = (params.get("host"), params.get("port"), params.get("user"), params.get("options"))
        if (idle := self._taken(key)) is not None:
            return idle
        session = _Session.connect(**params)
        session.key, session.keeper = key, self
        return session

    def _taken(self, key: _Key) -> "_Session | None":
        """Take an idle session that was opened with the same parameters."""
        with self._lock:
            found = next((each for each in self._idle if each.key == key), None)
            if found is not None:
                self._idle.remove(found)
        return found if found is not None and _is_reset(found) else None


class _Session(psycopg.Connection[Any]):
    """A connection that its keeper may keep when it is closed."""

    key: _Key = ()
    keeper: KeptSessions | None = None

    def close(self) -> None:
        if self.closed or self.keeper is None or not self.keeper.keep(self):
            super().close()

    def end(self) -> None:
        """Close the connection for good."""
        super().close()


def _is_reset(session: _Session) -> bool:
    """Reset the session to its first settings, and let go of its locks. Return False where it has ended."""
    try:
        session.isolation_level = session.read_only = None
        session.autocommit = True
        session.execute("RESET ALL")
        session.execute("SELECT pg_advisory_unlock_all()")
        session.autocommit = False
    except psycopg.Error:
        session.end()
        return False
    return True
