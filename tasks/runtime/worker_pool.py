"""The hands that post: so many notes at once, whatever batch they belong to, and so many batches beside one another.

While one batch is opened, posts its first note alone or waits to be counted, the others' notes keep every hand busy.
One pool serves all batches of a runtime, so that together they never have more in flight than the setting allows.
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
"""One whose notes fill the hands, one that is being opened and begun, and one to spare."""


class Place:
    """The right of one batch to post; left when its notes are answered, or else at the end of the `async with`.

    Places are taken one after the other: the next batch comes in when this one has `begun`.
    """

    def __init__(self, places: asyncio.Semaphore, door: asyncio.Lock) -> None:
        self._places = places
        self._door = door
        self._is_held = self._is_at_door = False

    async def __aenter__(self) -> Self:
        await self._places.acquire()
        self._is_held = True
        try:
            await self._door.acquire()
        except BaseException:
            self.leave()
            raise
        self._is_at_door = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def begun(self) -> None:
        """Let the next batch come in beside this one, if there is room; nothing the second time."""
        if self._is_at_door:
            self._is_at_door = False
            self._door.release()

    def leave(self) -> None:
        """Make room for the next batch; nothing the second time."""
        self.begun()
        if self._is_held:
            self._is_held = False
            self._places.release()


class WorkerPool:
    """`first` is held while the first note of a batch is on its way: of one batch at a time."""

    def __init__(self) -> None:
        self.first = asyncio.Lock()
        self._door = asyncio.Lock()
        self._places = asyncio.Semaphore(_BATCHES_POSTING)
        self._orders: list[_Order[Any, Any]] = []
        self._hands: set[asyncio.Task[None]] = set()

    def place(self) -> Place:
        """Waited for before a batch is claimed: a lease that only waits would run out."""
        return Place(self._places, self._door)

    async def each(
        self, work: Callable[[T], Awaitable[R]], items: Sequence[T], *, at_once: int, rank: int = 0
    ) -> list[R]:
        """Return the result of `work` for each of `items`, in the order in which they ended.

        Orders are served one after the other by at most `at_once` hands, the lowest `rank` first: were the batches
        served in turns they would all end together, and the hands be idle while the next ones begin. All are heard out
        before what one of them raised is raised here. Cancelled, what has not begun never begins.
        """
        if not items:
            return []
        order = _Order(rank, work, iter(items), len(items))
        bisect.insort(self._orders, order, key=_rank)
        for _ in range(min(at_once - len(self._hands), len(items))):
            self._hands.add(asyncio.create_task(self._serve()))
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
            # Here, and not when the task is told to be done: an order given in between would count on this hand.
            self._hands.discard(cast("asyncio.Task[None]", asyncio.current_task()))


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
