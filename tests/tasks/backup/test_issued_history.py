"""A provider's list split into periods: the result is complete, or says that it may not be."""

import asyncio
import operator
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import pytest

from connectors.http.errors import Refused
from domain.issuing import RemoteInvoice
from domain.states import InvoiceState
from tasks.backup.issued_history import PeriodSearch

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
END = BEGIN + timedelta(days=10)
PAGE = 20


def invoice(number: int) -> RemoteInvoice:
    return RemoteInvoice(id=number, state=InvoiceState.ACCEPTED, status="succeeded")


def same(at: datetime) -> datetime:
    return at


def midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


class Listing:
    """One invoice a minute, `count` of them; at most `page` are shown, of those between `since` and `until`."""

    def __init__(self, count: int, *, page: int = PAGE, step: timedelta = timedelta(minutes=1)) -> None:
        self.made = {number: BEGIN + timedelta(days=1) + number * step for number in range(1, count + 1)}
        self.page = page
        self.requests = 0
        self.is_within: Callable[[datetime, datetime], bool] = operator.le
        self.begins = self.ends = same
        self.order: Callable[[Iterable[int]], list[int]] = lambda ids: sorted(ids, reverse=True)

    async def __call__(self, since: datetime, until: datetime) -> list[RemoteInvoice]:
        self.requests += 1
        begin, end = self.begins(since), self.ends(until)
        within = [each for each, at in self.made.items() if self.is_within(begin, at) and self.is_within(at, end)]
        return list(map(invoice, self.order(within)[: self.page]))


def walked(listing: Callable[..., object], **asked: int) -> tuple[set[int], bool]:
    history = PeriodSearch(listing, **asked)  # type: ignore[arg-type]
    found = asyncio.run(history.search(BEGIN, END))
    return set(found), history.is_complete


@pytest.mark.parametrize("page", [10, PAGE, 50])
@pytest.mark.parametrize("order", [sorted, lambda ids: sorted(ids, reverse=True), lambda ids: sorted(ids, key=str)])
def test_all_are_found_for_any_page_size_and_order(page, order):
    listing = Listing(333, page=page)
    listing.order = order
    assert walked(listing) == (set(range(1, 334)), True)
    assert listing.requests < 4 * 333 / page + 40


def test_few_are_found_by_one_request():
    listing = Listing(PAGE - 1)
    assert walked(listing, shown=PAGE) == (set(listing.made), True)
    assert listing.requests == 1


@pytest.mark.parametrize("is_within", [operator.le, operator.lt])
def test_an_invoice_at_the_cut_is_found_in_either_half(is_within):
    listing = Listing(3 * PAGE)
    listing.is_within = is_within
    listing.made[1] = BEGIN + (END - BEGIN) / 2
    # Enough later ones that the whole list does not show it.
    assert walked(listing) == (set(listing.made), True)


def by_day(listing: Listing) -> None:
    """Ignore hours."""
    listing.begins = listing.ends = midnight


def until_midnight(listing: Listing) -> None:
    """Ignore the hours of the end: each part loses its last hours."""
    listing.ends = midnight
    listing.made = {number: BEGIN + timedelta(days=4, hours=number / 3) for number in listing.made}


def at_once(listing: Listing) -> None:
    listing.made = dict.fromkeys(listing.made, BEGIN + timedelta(days=3))


@pytest.mark.parametrize("spoil", [by_day, until_midnight, at_once])
def test_a_possibly_incomplete_result_says_so(spoil):
    listing = Listing(3 * PAGE)
    spoil(listing)
    found, is_complete = walked(listing)
    assert not is_complete
    assert listing.requests < 100
    assert found <= set(listing.made)


def test_a_list_that_heeds_no_filter_is_found_out_at_once():
    listing = Listing(2 * PAGE)
    everything = set(listing.made)

    async def all_the_same(since: datetime, until: datetime) -> list[RemoteInvoice]:
        return await listing(BEGIN, END)

    found, is_complete = walked(all_the_same)
    assert not is_complete
    assert len(found) == PAGE
    assert found < everything
    assert listing.requests == 3


def test_nobody_looks_for_ever():
    listing = Listing(3_000, page=10)
    assert not walked(listing, most_requests=50)[1]
    assert listing.requests < 120


def test_an_unanswered_question_leaves_the_history_unknown():
    async def refused(since: datetime, until: datetime) -> list[RemoteInvoice]:
        raise Refused("GET organizations/1/nfe", status=422)

    assert walked(refused) == (set(), False)
