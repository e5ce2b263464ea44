"""A pool of workers that post: a fixed number of notes at once over all batches, and few batches side by side.

While one batch opens, posts its first note alone or waits for its counters, the other batches' notes keep all workers
busy. One pool serves all batches of a runtime, so that together they never exceed the setting's requests in flight.
"""

import asyncio
import bisect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")

_BATCHES_POSTING: Final = 3
"""One batch whose notes occupy the workers, one that is opening, and one in reserve."""


class PostingSlot:
    """The right of one batch to post. It ends with `leave`, at the latest at the end of the `async with`.

    Batches enter one after the other: the next batch enters after this one's `begun`.
    """

    def __init__(self, slots: asyncio.Semaphore, entry: asyncio.Lock) -> None:
        self._slots = slots
        self._entry = entry
        self._is_held = self._is_entering = False

    async def __aenter__(self) -> Self:
        await self._slots.acquire()
        self._is_held = True
        try:
            await self._entry.acquire()
        except BaseException:
            self.leave()
            raise
        self._is_entering = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def begun(self) -> None:
        """Let the next batch enter beside this one, if there is room. Safe to repeat."""
        if self._is_entering:
            self._is_entering = False
            self._entry.release()

    def leave(self) -> None:
        """Make room for the next batch. Safe to repeat."""
        self.begun()
        if self._is_held:
            self._is_held = False
            self._slots.release()


class WorkerPool:
    """Workers for all batches. The lock `first` allows one first note, of all batches, under way at a time."""

    def __init__(self) -> None:
        self.first = asyncio.Lock()
        self._entry = asyncio.Lock()
        self._slots = asyncio.Semaphore(_BATCHES_POSTING)
        self._orders: list[_Order[Any, Any]] = []
        self._workers: set[asyncio.Task[None]] = set()

    def posting_slot(self) -> PostingSlot:
        """Return the slot to enter before claiming a batch: a lease claimed earlier would expire while waiting."""
        return PostingSlot(self._slots, self._entry)

    async def each(
        self, work: Callable[[T], Awaitable[R]], items: Sequence[T], *, at_once: int, rank: int = 0
    ) -> list[R]:
        """Return the result of `work` for each of `items`, in the order in which they ended.

        At most `at_once` workers serve the calls of this method one after the other, lowest `rank` first. If they took
        turns, all batches would end together and leave the workers idle while the next ones begin. Raise the first
        error only after all items in flight have ended. After a cancellation no further item begins.
        """
        if not items:
            return []
        order = _Order(rank, work, iter(items), len(items))
        bisect.insort(self._orders, order, key=_rank)
        for _ in range(min(at_once - len(self._workers), len(items))):
            self._workers.add(asyncio.create_task(self._serve()))
        try:
            await order.ended.wait()
        finally:
            order.items = iter(())
        if order.errors:
            raise order.errors[0]
        return order.results

    async def _serve(self) -> None:
        try:
            while self._orders:
                order = self._orders[0]
                for item in order.items:
                    await order.serve(item)
                    break
                else:
                    self._orders.pop(0)
        finally:
            # A done callback would run later: until then, a new order would count on this ended worker.
            self._workers.discard(cast("asyncio.Task[None]", asyncio.current_task()))


@dataclass(slots=True)
class _Order(Generic[T, R]):
    rank: int
    work: Callable[[T], Awaitable[R]]
    items: Iterator[T]
    unanswered: int
    results: list[R] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, item: T) -> None:
        try:
            self.results.append(await self.work(item))
        except Exception as error:  # noqa: BLE001 - raised where the order was given
            self.errors.append(error)
        self.unanswered -= 1
        if not self.unanswered:
            self.ended.set()


def _rank(order: _Order[Any, Any]) -> int:
    return order.rank
