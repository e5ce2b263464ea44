"""Compiled statements that all connections of a process share.

SQLAlchemy has one statement cache for each engine, and compiling a statement costs more than running it. A process has
two engines for each ledger, and ledgers of one dialect use the same SQL text.

A cache key contains the whole statement as nested tuples, and Python hashes them again at each lookup: for a statement
of ordinary size that takes longer than SQLite needs to run it. A cache for a single statement leaves it out of the key.
"""

from collections.abc import Hashable, Iterator, MutableMapping
from typing import Any, Final

from sqlalchemy.engine import Dialect
from sqlalchemy.engine.interfaces import Compiled

STATEMENTS_AT_MOST: Final = 4_000
"""A cache that has reached this size drops all its statements before the next one."""


class CompiledStatements(MutableMapping[Any, Compiled]):
    """A compilation cache for `execution_options` that engines share (`dialect_kind`).

    `of_one`: the cache serves a single statement.
    """

    def __init__(self, *, of_one: bool = False) -> None:
        self._kept: dict[Hashable, Compiled] = {}
        self._kind = _kind_of_one if of_one else _kind

    def __getitem__(self, key: Any) -> Compiled:
        return self._kept[self._kind(key)]

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the compiled statement of a key, or `default`."""
        return self._kept.get(self._kind(key), default)

    def __setitem__(self, key: Any, compiled: Compiled) -> None:
        if len(self._kept) >= STATEMENTS_AT_MOST:
            self._kept.clear()
        self._kept[self._kind(key)] = compiled

    def __delitem__(self, key: Any) -> None:
        del self._kept[self._kind(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)


def _kind(key: Any) -> Hashable:
    """Replace the dialect in a key by its `dialect_kind`: each engine has another dialect object."""
    dialect, *rest = key
    return dialect_kind(dialect), *rest


def _kind_of_one(key: Any) -> Hashable:
    """Replace the dialect in a key and remove the statement: the cache serves a single statement."""
    dialect, _, *rest = key
    return dialect_kind(dialect), *rest


def dialect_kind(dialect: Dialect) -> Hashable:
    """Return a value that is equal for dialects that can share compiled statements."""
    return dialect.name, dialect.driver, dialect.server_version_info
