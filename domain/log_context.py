"""Ids that the log lines of one piece of work share: run, flow, file, reading, batch, note.

The start of a piece of work binds its ids. Every log line within it has them, also in the tasks that it starts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_IDS: Final[ContextVar[Mapping[str, str | int]]] = ContextVar("log_ids", default={})  # noqa: B039 - never changed in place


def bound_ids() -> Mapping[str, str | int]:
    """Return the ids that the present piece of work has bound, by name."""
    return _IDS.get()


@contextmanager
def bind_ids(**ids: str | int) -> Iterator[None]:
    """Bind these ids within the block, in addition to those bound already."""
    token = _IDS.set({**_IDS.get(), **ids})
    try:
        yield
    finally:
        _IDS.reset(token)
