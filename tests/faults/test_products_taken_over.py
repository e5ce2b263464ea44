"""Two workers on one ledger, where a post issues: one frozen and thawed, or both at once; extensions on and off."""

from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from typing import Final

import pytest

from tests.faults.freezing import freeze, thaw
from tests.faults.sales import batch_of_sales, month_of_sales
from tests.faults.sales_theatre import CREATES, SalesTheatre
from tests.faults.theatre import LATE_S, in_turn, rule

_ORDERS: Final = 12
# More than two groups of posts are in flight at once.
_MANY: Final = 24


def _is_sending(sales_theatre: SalesTheatre) -> bool:
    return any(batch["state"] == "sending" for batch in sales_theatre.state()[0]["batches"])


_BOUNDARIES: Final[Mapping[str, Callable[[SalesTheatre], bool]]] = {
    "after the yes": _is_sending,
    "with the first on the wire": lambda sales_theatre: sales_theatre.seen(*CREATES) >= 1,
    "while the first is read back": lambda sales_theatre: sales_theatre.seen("nfe.read") >= 1,
    "with many on the wire": lambda sales_theatre: sales_theatre.seen(*CREATES) >= 3,
}


_MET: Final = "thawed while the other posts"
_DONE: Final = "thawed when all is done"
_FROZEN: Final = {
    f"{boundary}, {thawed}": (boundary, thawed)
    for boundary, thawed in (
        ("after the yes", _DONE),
        ("with the first on the wire", _MET),
        ("while the first is read back", _DONE),
        ("with many on the wire", _MET),
        ("with many on the wire", _DONE),
    )
}


@in_turn("place", _FROZEN)
def test_a_worker_frozen_past_its_lease_posts_nothing_more(sales_theatre: SalesTheatre, place: tuple[str, str]) -> None:
    boundary, is_met = place[0], place[1] == _MET
    sales = batch_of_sales(_ORDERS)
    frozen = _frozen(sales_theatre, boundary, _ORDERS)
    posted = sales_theatre.seen(*CREATES)
    assert posted < _ORDERS, "it was frozen too late"
    sales_theatre.outlive_lease()

    other = sales_theatre.start()
    assert sales_theatre.until(lambda: sales_theatre.seen(*CREATES) > posted, other)
    if not is_met:
        assert sales_theatre.finish(other) == 0, sales_theatre.logs()
    thaw(frozen)
    assert [sales_theatre.finish(each) for each in (frozen, other)] == [0, 0], sales_theatre.logs()

    ledger, record = sales_theatre.check_done(sales)
    assert len(record["product_invoices"]) == _ORDERS
    assert len({attempt["fence"] for attempt in ledger["attempts"]}) > (boundary != "after the yes")


@in_turn("is_met", {_DONE: False, _MET: True})
def test_a_thawed_worker_posts_nothing_that_cannot_be_looked_up(sales_theatre: SalesTheatre, is_met: bool) -> None:
    """A post in flight at the freeze is never sent again, although nobody knows whether it arrived."""
    sales_theatre.stop_read_back()
    sales = batch_of_sales(_MANY)
    frozen = _frozen(sales_theatre, "with many on the wire", _MANY)
    posted = sales_theatre.seen(*CREATES)
    sales_theatre.outlive_lease()

    other = sales_theatre.start(is_followed=False)
    assert sales_theatre.until(lambda: sales_theatre.seen(*CREATES) > posted, other)
    if not is_met:
        assert sales_theatre.finish(other) == 0, sales_theatre.logs()
    thaw(frozen)
    assert [sales_theatre.finish(each) for each in (frozen, other)] == [0, 0], sales_theatre.logs()

    ledger, record = sales_theatre.check_without_read_back(sales)
    issued = len(record["product_invoices"])
    assert issued == sales_theatre.seen(*CREATES)
    assert {invoice["state"] for invoice in ledger["invoices"]} == {"processing", "unresolved"}

    # A person looks for each of them in the provider's page; nothing is sent for it, then or later.
    assert sales_theatre.decide_what_only_a_person_can()
    sales_theatre.run(is_followed=False)
    sales_theatre.check_sound(sales)
    states = Counter(invoice["state"] for invoice in sales_theatre.state()[0]["invoices"])
    assert (states["unresolved"], _MANY - states["retired"]) == (0, issued)
    assert sales_theatre.seen(*CREATES) == issued


@pytest.mark.parametrize("has_no_read_back", [False, True], ids=["extensions on", "extensions off"])
def test_two_workers_at_once_issue_exactly_once(sales_theatre: SalesTheatre, has_no_read_back: bool) -> None:
    sales = month_of_sales(36)
    if has_no_read_back:
        sales_theatre.stop_read_back()
    # Answers are slow enough that each worker finds the other at work.
    sales_theatre.sandbox.switch(fixed_latency_ms=30)
    sheet = sales_theatre.offer(sales)

    workers = [sales_theatre.start(sheet, is_followed=not has_no_read_back) for _ in range(2)]
    assert [sales_theatre.finish(process) for process in workers] == [0, 0], sales_theatre.logs()
    # A worker that found the other at work may have left before that one had posted all.
    sales_theatre.run(is_followed=not has_no_read_back)

    if has_no_read_back:
        sales_theatre.check_without_read_back(sales)
    else:
        sales_theatre.check_done(sales)
    assert sales_theatre.seen(*CREATES) == len(sales)


def _frozen(sales_theatre: SalesTheatre, boundary: str, orders: int) -> BaseProcess:
    """Start a worker that bills orders with slow answers, and stop it at the boundary."""
    sales_theatre.shorten_leases()
    sales_theatre.sandbox.faults(*(rule(each, "late", seconds=LATE_S, count=orders) for each in CREATES))
    process = sales_theatre.start(
        sales_theatre.offer(batch_of_sales(orders)), is_followed=not sales_theatre.has_no_read_back
    )
    assert sales_theatre.until(lambda: _BOUNDARIES[boundary](sales_theatre), process)
    freeze(sales_theatre, process)
    sales_theatre.sandbox.faults()
    sales_theatre.sandbox.switch(fixed_latency_ms=100)
    return process
