"""Every invoice of an emitter between two instants, although a list shows a hundred at most and has no pages.

The time is cut into ever smaller parts until each shows fewer than were ever shown at once. That a list heeds its
filters, by which instant, and how many it shows, is nobody's promise [A 2.6]: whatever a part has shown must be shown
by its halves again, and two halves that show the same tell that they were not heeded.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from connectors.http.errors import Refused
from domain.issuing import RemoteInvoice

Look = Callable[[datetime, datetime], Awaitable[Iterable[RemoteInvoice]]]

LEAST_PAGE: Final = 10
"""What a list shows that heeds no number either; fewer are all."""
_SHORTEST: Final = timedelta(milliseconds=10)
_OVERLAP: Final = timedelta(milliseconds=1)
"""So that an invoice at the very instant of a cut is shown, whether an instant counts as within or not."""
_MOST_LOOKS: Final = 1_000


class Walk:
    """One walk; `is_whole` tells after it whether nothing can have been left out.

    `shown` is how many such a list has shown before.
    """

    def __init__(self, look: Look, *, shown: int = 0, most_looks: int = _MOST_LOOKS) -> None:
        self._look = look
        self._page = max(shown, LEAST_PAGE)
        self._left = most_looks
        self.is_whole = True

    async def between(self, since: datetime, until: datetime) -> dict[int, RemoteInvoice]:
        """Return the invoices by id; both instants are aware. Raises `ConnectorError`."""
        try:
            return await self._all_of(await self._shown(since, until), since, until)
        except Refused:
            self.is_whole = False
            return {}

    async def _all_of(
        self, shown: Mapping[int, RemoteInvoice], since: datetime, until: datetime
    ) -> dict[int, RemoteInvoice]:
        if len(shown) < self._page:
            return dict(shown)
        if until - since <= _SHORTEST or self._left < 1:
            self.is_whole = False
            return dict(shown)
        middle = since + (until - since) / 2
        earlier = await self._shown(since, middle)
        later = await self._shown(middle - _OVERLAP, until)
        if earlier.keys() == later.keys():
            self.is_whole = False
            return {**shown, **earlier}
        found = await self._all_of(earlier, since, middle) | await self._all_of(later, middle - _OVERLAP, until)
        if not shown.keys() <= found.keys():
            self.is_whole = False
        return {**shown, **found}

    async def _shown(self, since: datetime, until: datetime) -> dict[int, RemoteInvoice]:
        self._left -= 1
        shown = {each.id: each for each in await self._look(since, until)}
        self._page = max(self._page, len(shown))
        return shown
