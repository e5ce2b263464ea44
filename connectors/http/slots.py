"""Limit a session's requests in flight, by its own limit or by its share of a limit for all processes.

The share is behind `SharedSlots` (in production: the ledger's database). While requests are under way, a task asks for
it about once a second; a request costs no query. An idle session gives its share back.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from connectors.http.errors import NoFreeSlot
from connectors.http.steady import steady_s
from connectors.http.wire_trace import Wire

_ASK_S: Final = 1.0
_ASK_AGAIN_S: Final = 0.1
"""Seconds until a session without a slot asks again."""
_LONGEST_WAIT_S: Final = 120.0


class SharedSlots(Protocol):
    """One limit of requests in flight for all processes of an account."""

    async def share(self, *, in_use: int, limit: int) -> tuple[int, float]:
        """Return how many requests this session may have in flight, and for how many seconds.

        `in_use` is the most requests that it may have in flight when the answer arrives, `limit` its own limit.
        """
        ...

    async def give_back(self) -> None:
        """Free this session's share."""
        ...


class Slots:
    """The request slots of one session: `limit` of them, or with `shared` its share of all processes' limit."""

    def __init__(
        self,
        limit: int,
        shared: SharedSlots | None = None,
        *,
        longest_wait_s: float = _LONGEST_WAIT_S,
        clock: Callable[[], float] = steady_s,
    ) -> None:
        self._limit, self._shared = limit, shared
        self._longest_wait_s = longest_wait_s
        self._clock = clock
        self._share = limit if shared is None else 0
        self._good_until = float("inf") if shared is None else float("-inf")
        self._in_use = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._keeper: asyncio.Task[None] | None = None

    async def take(self, label: str, *, earlier: int) -> None:
        """Take a slot; call `free` after the request. Raises `NoFreeSlot` after a long wait; then nothing was sent."""
        if self._has_room() and not self._waiting:
            self._in_use += 1
        else:
            await self._wait(label, earlier)

    def free(self) -> None:
        """Free a slot, for the request that waits longest."""
        self._in_use -= 1
        self._wake()

    async def close(self) -> None:
        """Give the share back. Call it when no request is under way."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeper
        # If the ledger is unreachable, the share expires.
        with contextlib.suppress(Exception):
            await self._give_back()

    def _has_room(self) -> bool:
        return self._in_use < self._share and self._clock() < self._good_until

    def _slot_limit(self) -> int:
        """Return the most requests in flight when `share` returns: more may begin while it waits for the ledger."""
        return max(self._in_use, self._share if self._clock() < self._good_until else 0)

    async def _wait(self, label: str, earlier: int) -> None:
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        if self._shared is not None and self._keeper is None:
            self._keeper = asyncio.create_task(self._keep(self._shared))
        try:
            async with asyncio.timeout(None if self._shared is None else self._longest_wait_s):
                await mine
        except TimeoutError as error:
            self._leave_queue(mine)
            raise NoFreeSlot(label, wire=Wire(requests=earlier), retry_after=_ASK_S) from error
        except BaseException:
            self._leave_queue(mine)
            raise

    def _leave_queue(self, mine: asyncio.Future[None]) -> None:
        """Leave the queue, or pass on a slot received at the same instant."""
        if mine in self._waiting:
            self._waiting.remove(mine)
        elif mine.done() and not mine.cancelled() and mine.exception() is None:
            self.free()

    def _wake(self) -> None:
        while self._waiting and self._has_room():
            first = self._waiting.popleft()
            if not first.done():
                self._in_use += 1
                first.set_result(None)

    async def _keep(self, shared: SharedSlots) -> None:
        """Renew this session's share of the request slots while requests run or wait. Release it when idle."""
        try:
            while True:
                asked_at = self._clock()
                self._share, for_s = await shared.share(in_use=self._slot_limit(), limit=self._limit)
                self._good_until = asked_at + for_s
                self._wake()
                is_idle = not (self._in_use or self._waiting)
                await asyncio.sleep(_ASK_S if self._share or not self._waiting else _ASK_AGAIN_S)
                if is_idle and not (self._in_use or self._waiting):
                    await self._give_back()
                    if not self._waiting:
                        break
        except Exception as error:  # noqa: BLE001 - every waiting request raises it
            self._fail(error)
        finally:
            self._keeper = None

    def _fail(self, error: Exception) -> None:
        while self._waiting:
            first = self._waiting.popleft()
            if not first.done():
                first.set_exception(error)

    async def _give_back(self) -> None:
        if self._shared is not None and self._good_until > float("-inf"):
            self._share, self._good_until = 0, float("-inf")
            await self._shared.give_back()
