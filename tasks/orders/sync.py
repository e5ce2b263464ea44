"""Bring the mirror up to date, list by list. Any pull may be killed and repeated, alone or beside another.

A pull requests paid invoices from some days before the newest known one on, because banks report payments late; before
billing, from the first one that a refund may still change. A first pull, or one for an earlier period than ever before,
requests the whole period. Pages are requested concurrently and
stored in order, each group together with the number of the next page. A list that changes during the pull may hide an
item between two pages, or show one twice. So a pull ends only when the number of different items equals the service's
count afterwards; otherwise it begins again. If two pulls in a row show exactly the same items twice, the service's list
contains them twice, and the pull ends.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Coroutine
from contextlib import aclosing
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self

from connectors.http.errors import NotFound
from connectors.http.link_pages import LinkedPage
from connectors.ledger.mirror import paid_invoices, sync_cursors, sync_pages
from connectors.ledger.mirror.sync_cursors import SyncCursor
from domain.problems import FaturistaError, Problem
from domain.station_result import Ending, StationResult, Subject
from tasks.orders.lists import MirroredList, OrderList, PaidList
from tasks.runtime.order_opening import OrdersRuntime

_LAST_PAGE_READS: Final = 3
_OF_ONE_PULL: Final = ("known", "clashes")


class _Overtaken(Exception):
    """Another pull has taken the list over."""


async def mirror_paid_invoices(
    runtime: OrdersRuntime, plan: str, *, since: datetime, again: datetime | None = None
) -> StationResult:
    """Copy the plan's invoices paid from `since` (aware) on into the mirror. Ending `done`: the mirror is complete.

    `again`: ask for payments from this instant on again, because they may have been refunded.
    """
    cursor = await runtime.ledger.read_async(sync_cursors.cursor_of, plan, "paid_invoices")
    start = _start(cursor, since, timedelta(days=runtime.settings.orders.overlap_days), again)
    return await _Sync(PaidList(runtime, plan)).run(start)


async def mirror_orders(runtime: OrdersRuntime, plan: str) -> StationResult:
    """Copy every order of the plan, as the service shows it now, into the mirror. Ending `done`: it is complete."""
    return await _Sync(OrderList(runtime, plan)).run(None)


def _start(cursor: SyncCursor | None, since: datetime, overlap: timedelta, again: datetime | None) -> datetime:
    """Return the start of the period to pull; it leaves no gap after the period that the mirror covers."""
    if cursor is None or cursor.covered_since is None or cursor.covered_until is None or since < cursor.covered_since:
        return since
    late = cursor.covered_until - overlap
    return max(cursor.covered_since, late if again is None else min(late, again))


class _InTurn:
    """Runs background tasks one after the other. `async with` waits for the last to end, successfully or not."""

    def __init__(self) -> None:
        self._last: asyncio.Task[None] | None = None

    async def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for the previous task and raise its error; then begin this one."""
        try:
            await self._wait_for_last()
        except BaseException:
            work.close()
            raise
        self._last = asyncio.create_task(work)

    async def _wait_for_last(self) -> None:
        if self._last is not None:
            await self._last

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            await self._wait_for_last()
        elif self._last is not None:
            await asyncio.gather(self._last, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class _Pulled:
    """The result of a pull.

    `missing` is the service's count less the number of different items received. `twice` counts, by number, the items
    that came more than once.
    """

    missing: int
    twice: Counter[int]

    def is_complete(self, before: Self | None) -> bool:
        """Return whether the list hides nothing. `before` is the previous pull from the list's beginning, if any.

        A list that moves during a pull shows items twice, too, but not the very same ones in two pulls.
        """
        is_listed_so = before is not None and self == before and self.missing == self.twice.total()
        return self.missing <= 0 or is_listed_so


class _Sync:
    """Copies one list of the order service into the mirror; counts what it copied."""

    def __init__(self, listed: MirroredList[Any]) -> None:
        self._list = listed
        self._ledger, self._settings = listed.runtime.ledger, listed.runtime.settings.orders
        self._counts: Counter[str] = Counter()
        self._page_size = 0
        self._seen: set[int] = set()
        self._twice: Counter[int] = Counter()

    async def run(self, since: datetime | None) -> StationResult:
        holder = secrets.token_hex(8)
        before: _Pulled | None = None
        try:
            for attempt in range(self._settings.pull_tries):
                cursor = await self._begin(holder, since, is_anew=attempt > 0)
                pulled = await self._pull(cursor)
                # A pull that continues another's has not seen what the list lacks: only a whole pull can name it.
                is_blind = cursor.next_page != 1 and since is not None and bool(self._counts["vanished"])
                if pulled is not None and not is_blind and pulled.is_complete(before):
                    self._counts["repeated"] = max(0, pulled.missing)
                    await self._end(cursor)
                    return self._tally(Ending.DONE)
                before = pulled if cursor.next_page == 1 else None
        except _Overtaken:
            return self._tally(Ending.BUSY)
        return self._tally(Ending.WAITING, Problem("mirror.unsettled", params={"plan": self._list.plan}))

    async def _begin(self, holder: str, since: datetime | None, *, is_anew: bool) -> SyncCursor:
        return await self._ledger.write_async(
            sync_cursors.begin_pull,
            self._list.plan,
            self._list.kind,
            holder=holder,
            since=since,
            page_size=self._settings.page_size,
            is_anew=is_anew,
        )

    async def _pull(self, cursor: SyncCursor) -> _Pulled | None:
        """Pull the list once. Return None if the list changed too much for a conclusion."""
        self._seen, self._twice = set(), Counter()
        for word in _OF_ONE_PULL:
            self._counts.pop(word, None)
        try:
            last = await self._store_pages(cursor)
        except NotFound as error:
            if cursor.next_page == 1:
                raise FaturistaError(Problem("mirror.no_plan", params={"plan": self._list.plan})) from error
            return None
        listed = await self._count_listed(cursor, last)
        if listed is None:
            return None
        stored = await self._list.count_stored(cursor)
        self._counts["vanished"] = max(0, stored - listed)
        # A pull that continues another's has not seen the earlier pages: count what the mirror holds.
        return _Pulled(listed - (len(self._seen) if cursor.next_page == 1 else stored), self._twice)

    async def _store_pages(self, cursor: SyncCursor) -> int:
        """Store the pages in groups, one while fetching the next. Return the last page's number."""
        group: list[LinkedPage[Any]] = []
        number = cursor.next_page or 1
        async with aclosing(self._list.fetch_pages(cursor)) as pages, _InTurn() as stores:
            async for page in pages:
                number = page.number
                if number < page.last:
                    self._page_size = len(page.items)
                group.append(page)
                if len(group) == self._settings.pages_at_once:
                    await stores.begin(self._store_group(cursor, group))
                    group = []
            await stores.begin(self._store_group(cursor, group))
        return number

    async def _store_group(self, cursor: SyncCursor, group: list[LinkedPage[Any]], *, is_again: bool = False) -> None:
        """Store a group of pages and count its items. `is_again`: a pull counted the items of this page before."""
        if not group:
            return
        items = [item for page in group for item in page.items]
        # The last page may grow: an interrupted pull reads it again.
        next_page = group[-1].number + (group[-1].number < group[-1].last)
        stored = await self._list.store_items(cursor, items, next_page=next_page)
        if stored is None:
            raise _Overtaken
        but = _OF_ONE_PULL if is_again else ()
        self._counts.update({word: count for word, count in asdict(stored).items() if word not in but})
        for item in items:
            if item.number in self._seen and not is_again:
                self._twice[item.number] += 1
            self._seen.add(item.number)

    async def _count_listed(self, cursor: SyncCursor, last: int) -> int | None:
        """Read the last page again after all others and store its new items.

        Return the number of items in the service's list; None if a page is gone, or if the list got more or fewer pages
        at each of the `_LAST_PAGE_READS` reads.
        """
        for _ in range(_LAST_PAGE_READS):
            try:
                page = await self._list.fetch_page(cursor, last)
                if last > 1 and not self._page_size:
                    self._page_size = len((await self._list.fetch_page(cursor, 1)).items)
            except NotFound:
                return None
            await self._store_group(cursor, [page], is_again=True)
            if page.last == last:
                return (last - 1) * self._page_size + len(page.items)
            last = page.last
        return None

    async def _end(self, cursor: SyncCursor) -> None:
        since, until = cursor.pulling_since, None
        is_complete = cursor.next_page == 1 and not self._counts["repeated"]
        if since is not None and cursor.pull is not None and is_complete and self._counts["vanished"]:
            await self._ledger.write_async(
                paid_invoices.store_vanished, self._list.plan, self._seen, since=since, pull=cursor.pull
            )
        if since is not None:
            newest = await self._ledger.read_async(paid_invoices.newest_payment, self._list.plan)
            # A payment dated in the future must not hide earlier ones.
            until = since if newest is None else min(newest, self._list.runtime.clock())
            since = min(since, cursor.covered_since or since)
        if not await self._ledger.write_async(
            sync_pages.end_complete_pull, cursor, covered_since=since, covered_until=until
        ):
            raise _Overtaken

    def _tally(self, ending: Ending, *remarks: Problem) -> StationResult:
        counts = {word: count for word, count in self._counts.items() if count}
        odd = [
            Problem(f"mirror.{word}", params={"plan": self._list.plan, "count": counts[word]})
            for word in ("clashes", "vanished", "repeated")
            if word in counts
        ]
        return StationResult("mirror", Subject(self._list.kind, self._list.plan), ending, counts, (*remarks, *odd))
