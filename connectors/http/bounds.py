"""A bound on each of very many works that are given equally long: one timer for all of them.

A timer of its own, made and taken back, would be most of what is done around a request. Works that are given equally
long run out in the order in which they began: only the oldest has to be waited for.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")


class Bound:
    """Gives each work so many seconds, in one event loop; `close` it when none runs any more."""

    def __init__(self, seconds: float) -> None:
        self._seconds: Final = seconds
        self._running: Final[dict[_Work, None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def within(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives. Raises `TimeoutError` when it was cut off; cancelled from outside, `CancelledError`."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        mine = _Work(task, loop.time() + self._seconds)
        self._running[mine] = None
        if self._timer is None:
            self._timer = loop.call_at(mine.ends_at, self._cut_off, loop)
        try:
            result = await work
        except asyncio.CancelledError as error:
            if self._end(mine):
                raise TimeoutError from error
            raise
        except BaseException:
            self._end(mine)
            raise
        self._end(mine)
        return result

    def close(self) -> None:
        """Take the timer back."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, work: "_Work") -> bool:
        """Whether nobody but the timer has cancelled it."""
        del self._running[work]
        return work.is_cut_off and work.task.uncancel() <= work.cancelled_before

    def _cut_off(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer, at = None, loop.time()
        for work in self._running:
            if work.ends_at > at:
                self._timer = loop.call_at(work.ends_at, self._cut_off, loop)
                return
            if not work.is_cut_off:
                work.is_cut_off = True
                work.task.cancel()


class _Work:
    """A work under way, in its task."""

    __slots__ = ("cancelled_before", "ends_at", "is_cut_off", "task")

    def __init__(self, task: "asyncio.Task[Any]", ends_at: float) -> None:
        self.task = task
        self.ends_at = ends_at
        self.cancelled_before = task.cancelling()
        self.is_cut_off = False
