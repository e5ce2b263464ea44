"""A shared-timer timeout for many coroutines with the same limit.

One timer for each request would cost more than the rest of the request's handling. Coroutines with the same limit
expire in the order of their starts, so one timer for the oldest is enough.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")


class Bound:
    """Limits each coroutine to `seconds`, in one event loop. Call `close` when none runs any more."""

    def __init__(self, seconds: float) -> None:
        self._seconds: Final = seconds
        self._running: Final[dict[_Work, None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def within(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of `work`.

        Raises `TimeoutError` when the time is up, and `CancelledError` when somebody else cancels it.
        """
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
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, work: "_Work") -> bool:
        """Remove `work` from the running ones. Return whether only the timer cancelled it."""
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
    """A running coroutine and its task."""

    __slots__ = ("cancelled_before", "ends_at", "is_cut_off", "task")

    def __init__(self, task: "asyncio.Task[Any]", ends_at: float) -> None:
        self.task = task
        self.ends_at = ends_at
        self.cancelled_before = task.cancelling()
        self.is_cut_off = False
