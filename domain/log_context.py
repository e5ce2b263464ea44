"""Ids that log lines of one piece of work have in common: run, flow, file, reading, batch, note.

Whoever begins a piece of work binds its ids; whatever is logged within, also in other tasks that it starts, has them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_IDS: Final[ContextVar[Mapping[str, str | int]]] = ContextVar("log_ids", default={})  # noqa: B039 - never changed in place


def bound_ids() -> Mapping[str, str | int]:
    """Return the ids that hold here."""
    return _IDS.get()


@contextmanager
def bind_ids(**ids: str | int) -> Iterator[None]:
    """Let these ids hold within the block, besides those that hold already."""
    token = _IDS.set({**_IDS.get(), **ids})
    try:
        yield
    finally:
        _IDS.reset(token)
