"""Opening a ledger: SQLite or PostgreSQL, one write transaction at a time, reads from a snapshot.

SQLite runs in WAL mode with `synchronous=FULL`; every write transaction takes the write lock when it begins (`BEGIN
IMMEDIATE`), because two deferred ones that both read first would either fail or act on the same rows twice. Async code
reaches the ledger through `writing` and `reading` only, so that the event loop never waits for a lock.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import sqlalchemy as sa

from domain.problems import FaturistaError

P = ParamSpec("P")
T = TypeVar("T")


class LedgerRefused(FaturistaError):
    """This ledger cannot be used as it is: its address is wrong, or it was written by a newer version."""


class LedgerUnavailable(FaturistaError):
    """The database did not answer, was locked for too long, or went away: nothing is known to be committed."""


class Ledger:
    """One open ledger. Stations pass it functions of this package; the first argument is the connection.

    ```python
    lease = ledger.write(claims.claim, batch, owner=owner, seconds=180, states={BatchState.PLANNED})
    ended = await ledger.writing(posting.end_posting, lease, outcomes)
    ```
    """

    @classmethod
    def open(cls, url: str, *, migrate: bool = True) -> Self:
        """Open, and by default create or upgrade, the ledger at `sqlite:///path` or `postgresql://…`.

        Raises `LedgerRefused` and `LedgerUnavailable`.
        """
        raise NotImplementedError

    def write(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` in one write transaction; committed when it returns, undone when it raises."""
        raise NotImplementedError

    def read(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` on one read-only snapshot."""
        raise NotImplementedError

    async def writing(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`write` on the ledger's one writer thread. A cancelled wait does not cancel the transaction."""
        raise NotImplementedError

    async def reading(self, fn: Callable[Concatenate[sa.Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`read` on another thread."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish what the writer thread holds and close every connection."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
