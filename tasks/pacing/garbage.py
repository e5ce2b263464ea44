"""How often Python looks for objects that hold each other, while very many come and go that never do."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_COLLECTED_AFTER: Final = 100_000
"""How many objects more there must be before it looks."""
_lock: Final = threading.Lock()
_usual: Final[list[tuple[int, int, int]]] = []
"""What it was before, once for each who is at work."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Rows and notes come and go by the ten thousand: looking among them costs a tenth of the work on them.

    The usual again when the last of all who asked for it has left, in whatever order they leave.
    """
    with _lock:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        gc.set_threshold(_COLLECTED_AFTER, *_usual[0][1:])
    try:
        yield
    finally:
        with _lock:
            usual = _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)
