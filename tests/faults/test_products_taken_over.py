"""Two workers on one ledger, where a post issues: one frozen and thawed, or both at once; extensions on and off."""

from collections import Counter as Counts
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from typing import Final

import pytest

from tests.faults.counter import CREATES, Counter
from tests.faults.freezing import freeze, thaw
from tests.faults.sales import batch_of_sales, month_of_sales
from tests.faults.theatre import LATE_S, in_turn, rule

_ORDERS: Final = 12
# More than two groups of posts are in flight at once.
_MANY: Final = 24


def _is_sending(counter: Counter) -> bool:
    return any(batch["state"] == "sending" for batch in counter.state()[0]["batches"])


_BOUNDARIES: Final[Mapping[str, Callable[[Counter], bool]]] = {
    "after the yes": _is_sending,
    "with the first on the wire": lambda counter: counter.seen(*CREATES) >= 1,
    "while the first is read back": lambda counter: counter.seen("nfe.read") >= 1,
    "with many on the wire": lambda counter: counter.seen(*CREATES) >= 3,
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
def test_a_worker_frozen_past_its_lease_posts_nothing_more(counter: Counter, place: tuple[str, str]) -> None:
    boundary, is_met = place[0], place[1] == _MET
    sales = batch_of_sales(_ORDERS)
    frozen = _frozen(counter, boundary, _ORDERS)
    posted = counter.seen(*CREATES)
    assert posted < _ORDERS, "it was frozen too late"
    counter.outlive_lease()

    other = counter.start()
    assert counter.until(lambda: counter.seen(*CREATES) > posted, other)
    if not is_met:
        assert counter.finish(other) == 0, counter.logs()
    thaw(frozen)
    assert [counter.finish(each) for each in (frozen, other)] == [0, 0], counter.logs()

    ledger, record = counter.check_done(sales)
    assert len(record["product_invoices"]) == _ORDERS
    assert len({attempt["fence"] for attempt in ledger["attempts"]}) > (boundary != "after the yes")


@in_turn("is_met", {_DONE: False, _MET: True})
def test_a_thawed_worker_posts_nothing_that_cannot_be_looked_up(counter: Counter, is_met: bool) -> None:
    """A post in flight at the freeze is never sent again, although nobody knows whether it arrived."""
    counter.blind()
    sales = batch_of_sales(_MANY)
    frozen = _frozen(counter, "with many on the wire", _MANY)
    posted = counter.seen(*CREATES)
    counter.outlive_lease()

    other = counter.start(is_followed=False)
    assert counter.until(lambda: counter.seen(*CREATES) > posted, other)
    if not is_met:
        assert counter.finish(other) == 0, counter.logs()
    thaw(frozen)
    assert [counter.finish(each) for each in (frozen, other)] == [0, 0], counter.logs()

    ledger, record = counter.check_blind(sales)
    issued = len(record["product_invoices"])
    assert issued == counter.seen(*CREATES)
    assert {invoice["state"] for invoice in ledger["invoices"]} == {"processing", "unresolved"}

    # A person looks for each of them in the provider's page; nothing is sent for it, then or later.
    assert counter.decide_what_only_a_person_can()
    counter.run(is_followed=False)
    counter.check_sound(sales)
    states = Counts(invoice["state"] for invoice in counter.state()[0]["invoices"])
    assert (states["unresolved"], _MANY - states["retired"]) == (0, issued)
    assert counter.seen(*CREATES) == issued


@pytest.mark.parametrize("is_blind", [False, True], ids=["extensions on", "extensions off"])
def test_two_workers_at_once_issue_exactly_once(counter: Counter, is_blind: bool) -> None:
    sales = month_of_sales(36)
    if is_blind:
        counter.blind()
    # Answers are slow enough that each worker finds the other at work.
    counter.sandbox.switch(fixed_latency_ms=30)
    sheet = counter.offer(sales)

    workers = [counter.start(sheet, is_followed=not is_blind) for _ in range(2)]
    assert [counter.finish(process) for process in workers] == [0, 0], counter.logs()
    # A worker that found the other at work may have left before that one had posted all.
    counter.run(is_followed=not is_blind)

    if is_blind:
        counter.check_blind(sales)
    else:
        counter.check_done(sales)
    assert counter.seen(*CREATES) == len(sales)


def _frozen(counter: Counter, boundary: str, orders: int) -> BaseProcess:
    """Start a worker that bills orders with slow answers, and stop it at the boundary."""
    counter.shorten_leases()
    counter.sandbox.faults(*(rule(each, "late", seconds=LATE_S, count=orders) for each in CREATES))
    process = counter.start(counter.offer(batch_of_sales(orders)), is_followed=not counter.is_blind)
    assert counter.until(lambda: _BOUNDARIES[boundary](counter), process)
    freeze(counter, process)
    counter.sandbox.faults()
    counter.sandbox.switch(fixed_latency_ms=100)
    return process
