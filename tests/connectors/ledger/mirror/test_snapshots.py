"""The data of a report, read at one instant."""

from connectors.ledger.mirror import orders, paid_invoices, snapshots, sync_cursors
from tests.connectors.ledger.mirror.samples import SINCE, order, paid


def test_everything_about_the_plans_that_were_named(ledger):
    ledger.write(paid_invoices.store_paid, [paid(1), paid(2, plan_name="Essencial 2")], pull="a")
    ledger.write(paid_invoices.store_paid, [paid(1, total_cents=1)], pull="a")
    ledger.write(paid_invoices.store_paid, [paid(1, plan_slug="outro", plan_name="Outro")], pull="a")
    ledger.write(sync_cursors.begin_pull, "essencial", "paid_invoices", holder="a", since=SINCE, page_size=1)
    seen = ledger.read(snapshots.read_paid, ["essencial", "nenhum"], since=SINCE)
    assert [invoice.number for invoice in seen.invoices] == [1, 2]
    assert [clash.number for clash in seen.clashes] == [1]
    assert [cursor.plan_slug for cursor in seen.cursors] == ["essencial"]
    assert seen.names == {"essencial": "Essencial 2"}


def test_orders_are_called_as_their_plans_invoices(ledger):
    ledger.write(orders.store_orders, [order(1)], pull="a")
    ledger.write(paid_invoices.store_paid, [paid(1)], pull="a")
    seen = ledger.read(snapshots.read_orders, ["essencial"])
    assert ([each.order.number for each in seen.orders], seen.names) == ([1], {"essencial": "Essencial"})
    assert (seen.cursors, seen.clashes) == ([], [])
