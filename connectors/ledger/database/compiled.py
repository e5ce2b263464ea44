"""Compiled statements that all connections of a process share.

SQLAlchemy has one statement cache for each engine, and compiling a statement costs more than running it. A process has
two engines for each ledger, and ledgers of one dialect use the same SQL text.
"""

from collections.abc import Hashable, Iterator, MutableMapping
from typing import Any, Final

from sqlalchemy.engine import Dialect
from sqlalchemy.engine.interfaces import Compiled

STATEMENTS_AT_MOST: Final = 4_000
"""The cache drops all statements beyond this size."""


class CompiledStatements(MutableMapping[Any, Compiled]):
    """A compilation cache for `execution_options`, keyed by dialect kind and server version."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Compiled] = {}

    def __getitem__(self, key: Any) -> Compiled:
        return self._kept[_kind(key)]

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the compiled statement of a key, or `default`."""
        return self._kept.get(_kind(key), default)

    def __setitem__(self, key: Any, compiled: Compiled) -> None:
        if len(self._kept) >= STATEMENTS_AT_MOST:
            self._kept.clear()
        self._kept[_kind(key)] = compiled

    def __delitem__(self, key: Any) -> None:
        del self._kept[_kind(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)


def _kind(key: Any) -> Hashable:
    """Replace the dialect in a key by its kind, because each engine has a dialect object of its own."""
    return tuple(
        (part.name, part.driver, part.server_version_info) if isinstance(part, Dialect) else part for part in key
    )
