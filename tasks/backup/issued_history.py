"""Find every invoice of an emitter between two instants, through a list that shows at most a hundred and has no pages.

Split the period until each part shows fewer invoices than the largest list so far. The document promises neither that
the list applies its filters, nor by which instant, nor how many it shows [A 2.6]. So each half must show again what its
whole showed; two halves that show the same invoices prove that the list ignored the filters.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from connectors.http.errors import Refused
from domain.issuing import RemoteInvoice

ListPeriod = Callable[[datetime, datetime], Awaitable[Iterable[RemoteInvoice]]]

LEAST_PAGE: Final = 10
"""Smallest page that we assume for a list that ignores the requested size; a shorter list is complete."""
_SHORTEST: Final = timedelta(milliseconds=10)
_OVERLAP: Final = timedelta(milliseconds=1)
"""Overlap of two parts: an invoice at the very instant of a cut is then in at least one of them."""
_MOST_REQUESTS: Final = 1_000


class PeriodSearch:
    """One search through a period. Afterwards `is_complete` tells whether no invoice can be missing.

    `shown` is the largest number of invoices that such a list has shown so far. `most_requests` limits the requests.
    """

    def __init__(self, list_period: ListPeriod, *, shown: int = 0, most_requests: int = _MOST_REQUESTS) -> None:
        self._list_period = list_period
        self._page = max(shown, LEAST_PAGE)
        self._left = most_requests
        self.is_complete = True

    async def search(self, since: datetime, until: datetime) -> dict[int, RemoteInvoice]:
        """Return the invoices by id; both instants are aware. Raises `ConnectorError`.

        If the issuer refuses the filter (`Refused`), return nothing; `is_complete` is then False.
        """
        try:
            return await self._all_of(await self._list_issued(since, until), since, until)
        except Refused:
            self.is_complete = False
            return {}

    async def _all_of(
        self, shown: Mapping[int, RemoteInvoice], since: datetime, until: datetime
    ) -> dict[int, RemoteInvoice]:
        if len(shown) < self._page:
            return dict(shown)
        if until - since <= _SHORTEST or self._left < 1:
            self.is_complete = False
            return dict(shown)
        middle = since + (until - since) / 2
        earlier = await self._list_issued(since, middle)
        later = await self._list_issued(middle - _OVERLAP, until)
        if earlier.keys() == later.keys():
            self.is_complete = False
            return {**shown, **earlier}
        found = await self._all_of(earlier, since, middle) | await self._all_of(later, middle - _OVERLAP, until)
        if not shown.keys() <= found.keys():
            self.is_complete = False
        return {**shown, **found}

    async def _list_issued(self, since: datetime, until: datetime) -> dict[int, RemoteInvoice]:
        self._left -= 1
        shown = {each.id: each for each in await self._list_period(since, until)}
        self._page = max(self._page, len(shown))
        return shown
