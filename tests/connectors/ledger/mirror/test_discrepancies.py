"""Contradictions of the order service: each is recorded once, and settled by a person or by the service itself."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from connectors.ledger.mirror import discrepancies, orders, paid_invoices, sync_cursors, sync_pages
from connectors.ledger.mirror.discrepancies import Clash, clashes_of, store_clashes
from domain.orders.paid_invoices import Redeemed
from tests.connectors.ledger.mirror.samples import SINCE, order, paid

CLASH = Clash(plan_slug="p", kind="orders", number=2, digest="d", ours={"a": 1}, theirs={"a": None})
OTHER = paid(1, total_cents=5, paid_at=datetime(2026, 10, 3, tzinfo=UTC), adjustments=(Redeemed(-1, "x"),))


def pulled(ledger, *groups, holder):
    """Do a whole pull of paid invoices, group by group."""
    mark = ledger.write(
        sync_cursors.begin_pull, "essencial", "paid_invoices", holder=holder, since=SINCE, page_size=100
    )
    for group in groups:
        ledger.write(sync_pages.store_paid_page, mark, group, next_page=1)
    assert ledger.write(sync_pages.end_complete_pull, mark, covered_since=SINCE, covered_until=SINCE)


def decide(ledger, decision, number=1, kind="paid_invoices"):
    return ledger.write(
        discrepancies.decide, "essencial", kind, number, decision=decision, person="Ana", because="asked the service"
    )


def open_clashes(ledger, kind="paid_invoices"):
    return [(clash.number, clash.theirs) for clash in ledger.read(clashes_of, ["essencial"], kind)]


def held(ledger):
    return ledger.read(paid_invoices.paid_between, ["essencial"], since=SINCE)


def test_each_contradiction_is_stored_once_and_listed_in_order(ledger):
    others = [replace(CLASH, digest="e"), replace(CLASH, number=1), replace(CLASH, plan_slug="q")]
    for _ in range(2):
        ledger.write(store_clashes, [CLASH, *others, replace(CLASH, kind="paid_invoices")], pull="a")
    assert ledger.read(clashes_of, ["p"], "orders") == [others[1], CLASH, others[0]]
    assert ledger.read(clashes_of, ["p", "q"], "orders") == [others[1], CLASH, others[0], others[2]]


def test_a_kept_value_is_not_asked_about_again(ledger):
    pulled(ledger, [paid(1), paid(2)], holder="a")
    pulled(ledger, [OTHER], holder="b")
    settled = decide(ledger, "keep")
    assert settled is not None
    assert set(settled.theirs) == {"total_cents", "paid_at", "adjustments"}
    pulled(ledger, [OTHER], holder="c")
    assert (open_clashes(ledger), held(ledger)) == ([], [paid(1), paid(2)])
    pulled(ledger, [replace(OTHER, total_cents=6)], holder="d")
    assert len(open_clashes(ledger)) == 1


def test_a_decided_answer_stays_and_the_first_one_would_clash(ledger):
    pulled(ledger, [paid(1), paid(2)], holder="a")
    pulled(ledger, [OTHER], holder="b")
    decide(ledger, "take")
    assert {invoice.number: invoice for invoice in held(ledger)} == {1: OTHER, 2: paid(2)}
    pulled(ledger, [OTHER], holder="c")
    assert open_clashes(ledger) == []
    pulled(ledger, [paid(1)], holder="d")
    assert [set(theirs) for _, theirs in open_clashes(ledger)] == [{"total_cents", "paid_at", "adjustments"}]
    decide(ledger, "take")
    pulled(ledger, [OTHER], holder="e")
    assert len(open_clashes(ledger)) == 1, "settled once, for another content"


def test_the_newest_of_several_answers_settles_all(ledger):
    pulled(ledger, [paid(1)], holder="a")
    pulled(ledger, [paid(1, total_cents=5)], holder="b")
    pulled(ledger, [paid(1, total_cents=6)], holder="c")
    decide(ledger, "take")
    assert (open_clashes(ledger), [invoice.total_cents for invoice in held(ledger)]) == ([], [6])


def test_an_order_may_change_hands_when_a_person_says_so(ledger):
    ledger.write(orders.store_orders, [order(1)], pull="a")
    moved = order(1, account_uuid="another", created_at=datetime(2026, 1, 2, 3, tzinfo=UTC))
    ledger.write(orders.store_orders, [moved], pull="b")
    assert decide(ledger, "take", kind="orders") is not None
    assert [each.order for each in ledger.read(orders.orders_of, ["essencial"])] == [moved]


def test_nothing_is_settled_where_nothing_contradicts_itself(ledger):
    pulled(ledger, [paid(1)], holder="a")
    assert decide(ledger, "keep") is None
    pulled(ledger, [OTHER], holder="b")
    assert decide(ledger, "take", number=2) is None
    assert decide(ledger, "take", kind="orders") is None
    assert len(open_clashes(ledger)) == 1


def test_a_withdrawn_contradiction_is_settled(ledger):
    pulled(ledger, [paid(1)], holder="a")
    pulled(ledger, [OTHER], holder="b")
    pulled(ledger, [replace(paid(1), client_name="Other")], holder="c")
    assert open_clashes(ledger) == []
    pulled(ledger, [OTHER], holder="d")
    assert len(open_clashes(ledger)) == 1


@pytest.mark.parametrize("is_first", [True, False])
def test_a_list_that_contradicts_itself_settles_nothing(ledger, is_first):
    pulled(ledger, [paid(1)], holder="a")
    for holder in "bc":
        pulled(ledger, *([[paid(1)], [OTHER]] if is_first else [[OTHER], [paid(1)]]), holder=holder)
        assert len(open_clashes(ledger)) == 1


def test_a_clash_that_no_later_pull_came_by_stands(ledger):
    pulled(ledger, [paid(1)], holder="a")
    pulled(ledger, [OTHER], holder="b")
    pulled(ledger, [paid(2)], holder="c")
    assert len(open_clashes(ledger)) == 1
