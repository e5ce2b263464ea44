"""Define how a flow runs its stations: here without Prefect, in `prefect_flows` as Prefect tasks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, ParamSpec, Protocol, TypeVar

from connectors.ledger.engine import LedgerUnavailable
from domain.log_context import bind_ids
from domain.station_result import Ending
from flows.work_log import ids_of, log_results, results_of
from tasks import entries, order_entries
from tasks.views.due_work import Shard, SharedStation

P = ParamSpec("P")
T = TypeVar("T")

REPEATABLE: Final = entries.REPEATABLE | order_entries.REPEATABLE


class Runner(Protocol):
    """How a flow runs its stations, publishes pages and offers work to other workers."""

    @property
    def has_pages(self) -> bool:
        """Return whether anybody can see pages. If not, a flow composes none."""

    async def run(self, station: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one station to its end."""

    async def show(self, key: str, markdown: str) -> None:
        """Publish a page. The same key again is a new version of the same page."""

    async def offer(self, profile: str, station: SharedStation, shards: Sequence[Shard], *, cause: str) -> None:
        """Offer shards to other workers. The caller works on them, too, and skips batches that another worker leases.

        `cause` names the cause of the work. Offer nothing while an earlier offer with the same name waits.
        """


class DirectRunner:
    """Run stations in this process, without Prefect. This is safe because interrupted work resumes from the ledger."""

    has_pages = False

    async def run(self, station: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one station to its end. Repeat a repeatable one if the ledger was unavailable.

        Raises `LedgerUnavailable` also if the retry finds the work under the failed attempt's lease: it was not done.
        """
        with bind_ids(**ids_of(station, *args, **kwargs)):
            made = await self._run(station, *args, **kwargs)
            log_results(made)
        return made

    async def _run(self, station: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        lost: LedgerUnavailable | None = None
        repeats = entries.REPEATS if station in REPEATABLE else 0
        while True:
            try:
                made = await station(*args, **kwargs)
            except LedgerUnavailable as error:
                if not repeats:
                    raise
                repeats -= 1
                lost = error
                await asyncio.sleep(entries.REPEAT_DELAY_S)
            else:
                if lost is not None and _is_held(made):
                    # The failed attempt could not release its lease either, so its work waits until the lease ends.
                    raise lost
                return made

    async def show(self, key: str, markdown: str) -> None:
        """Publish nothing: the command shows its result on the screen."""

    async def offer(self, profile: str, station: SharedStation, shards: Sequence[Shard], *, cause: str) -> None:
        """Offer nothing: without a server there are no other workers."""


def _is_held(made: object) -> bool:
    """Return whether another worker's lease stopped a station. `BUSY` without remarks has another reason."""
    return any(result.ending is Ending.BUSY and result.remarks for result in results_of(made))
