"""The progress of a pull: an interrupted pull continues, and two pulls never mix their pages."""

from datetime import timedelta

import pytest

from connectors.ledger.mirror import sync_cursors
from tests.connectors.ledger.mirror.samples import SINCE


def begin(ledger, holder, *, since=SINCE, page_size=100, plan="essencial"):
    return ledger.write(sync_cursors.begin_pull, plan, "paid_invoices", holder=holder, since=since, page_size=page_size)


def test_a_list_never_pulled_has_no_mark(ledger):
    assert ledger.read(sync_cursors.cursor_of, "essencial", "paid_invoices") is None


def test_an_interrupted_pull_continues_in_any_worker(ledger):
    first = begin(ledger, "a")
    assert (first.next_page, first.pull) == (1, "a")
    assert ledger.write(sync_cursors.store_next_page, first, 9)
    second = begin(ledger, "b", since=SINCE + timedelta(days=1))
    assert (second.next_page, second.pull, second.holder, second.pulling_since) == (8, "a", "b", SINCE)


@pytest.mark.parametrize("asked", [{"since": SINCE - timedelta(seconds=1)}, {"page_size": 50}, {"since": None}])
def test_a_pull_that_does_not_cover_what_is_wanted_begins_again(ledger, asked):
    ledger.write(sync_cursors.store_next_page, begin(ledger, "a"), 9)
    assert begin(ledger, "b", **asked).next_page == 1


def test_an_overtaken_pull_stores_no_page_and_ends_nothing(ledger):
    first = begin(ledger, "a")
    second = begin(ledger, "b", since=SINCE - timedelta(days=1))
    assert not ledger.write(sync_cursors.store_next_page, first, 9)
    assert not ledger.write(sync_cursors.end_pull, first, covered_since=SINCE, covered_until=SINCE)
    assert ledger.read(sync_cursors.cursor_of, "essencial", "paid_invoices") == second


def test_a_whole_pull_stores_its_window_and_the_next_restarts(ledger):
    mark = begin(ledger, "a")
    until = SINCE + timedelta(days=3)
    assert ledger.write(sync_cursors.end_pull, mark, covered_since=SINCE, covered_until=until)
    ended = ledger.read(sync_cursors.cursor_of, "essencial", "paid_invoices")
    assert (ended.covered_since, ended.covered_until, ended.synced_in) == (SINCE, until, "a")
    assert (ended.pull, ended.holder, ended.next_page) == (None, None, None)
    assert ended.synced_at is not None
    again = begin(ledger, "b", since=until)
    assert (again.next_page, again.pull, again.covered_since) == (1, "b", SINCE)


def test_lists_do_not_mix(ledger):
    begin(ledger, "a")
    other = begin(ledger, "b", plan="empresarial")
    assert other.pull == "b"
