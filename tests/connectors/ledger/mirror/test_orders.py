"""The mirror of orders: an order may change or disappear, but never moves to another plan."""

from connectors.ledger.mirror import discrepancies, orders, sync_cursors
from connectors.ledger.mirror.paid_invoices import MirrorCounts
from domain.orders.orders import ListedOrder
from tests.connectors.ledger.mirror.samples import order


def pulled(ledger, *group, holder):
    """Do a whole pull of one page."""
    mark = ledger.write(sync_cursors.begin_pull, "essencial", "orders", holder=holder, since=None, page_size=100)
    kept = ledger.write(orders.store_orders, list(group), pull=mark.pull)
    assert ledger.read(orders.count_orders, "essencial", pull=mark.pull) == len(group)
    assert ledger.write(sync_cursors.end_pull, mark, covered_since=None, covered_until=None)
    return kept


def test_an_order_is_brought_up_to_date(ledger):
    assert pulled(ledger, order(1), order(2), holder="a") == MirrorCounts(new=2)
    changed = order(1, is_active=False, amount_cents=1)
    assert pulled(ledger, changed, order(2), holder="b") == MirrorCounts(changed=1, known=1)
    assert ledger.read(orders.orders_of, ["essencial"]) == [ListedOrder(changed, False), ListedOrder(order(2), False)]


def test_an_order_missing_in_a_later_pull_is_gone_until_seen(ledger):
    pulled(ledger, order(1), order(2), holder="a")
    pulled(ledger, order(2), holder="b")
    assert [each.is_gone for each in ledger.read(orders.orders_of, ["essencial"])] == [True, False]
    pulled(ledger, order(1), order(2), holder="c")
    assert not any(each.is_gone for each in ledger.read(orders.orders_of, ["essencial"]))


def test_while_a_pull_is_under_way_nothing_is_gone(ledger):
    pulled(ledger, order(1), order(2), holder="a")
    mark = ledger.write(sync_cursors.begin_pull, "essencial", "orders", holder="b", since=None, page_size=100)
    ledger.write(orders.store_orders, [order(1)], pull=mark.pull)
    assert not any(each.is_gone for each in ledger.read(orders.orders_of, ["essencial"]))


def test_a_known_number_in_another_account_is_a_clash(ledger):
    pulled(ledger, order(1), holder="a")
    assert pulled(ledger, order(1, account_uuid="another"), holder="b") == MirrorCounts(clashes=1)
    assert ledger.read(orders.orders_of, ["essencial"]) == [ListedOrder(order(1), False)]
    (clash,) = ledger.read(discrepancies.clashes_of, ["essencial"], "orders")
    assert clash.theirs == {"account_uuid": "another"}


def test_orders_of_several_plans_in_one_order(ledger):
    pulled(ledger, order(2), holder="a")
    ledger.write(orders.store_orders, [order(1, plan_slug="empresarial")], pull="b")
    found = ledger.read(orders.orders_of, ["essencial", "empresarial", "nenhum"])
    assert [(each.order.plan_slug, each.order.number) for each in found] == [("empresarial", 1), ("essencial", 2)]
    assert ledger.write(orders.store_orders, [], pull="b") == MirrorCounts()
