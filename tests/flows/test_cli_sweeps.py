"""The sweeps by command: products issued, followed and documented, and a discarded batch deleted."""

from pathlib import Path

from domain.states import InvoiceState
from tasks.stations.stage import stage_batch
from tests.flows.terminal import Terminal
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.store import Store, sale
from tests.tasks.workshop import Workshop


def test_products_are_issued_and_followed(store: Store, terminal: Terminal):
    _, batches = store.sold(sale(1), sale(2, kind="nfce"))
    for batch in batches:
        store.run(stage_batch, batch)
    store.approve()
    assert terminal("release").code == 0
    assert terminal("reconcile", "--until-done").code == 0
    assert {state for batch in batches for state in store.states(batch)} == {InvoiceState.ACCEPTED}
    assert terminal("documents", "fetch").code == 0
    cancelled = terminal("cancel", "batch", batches[1], "--because=Cobrada duas vezes por engano", "--yes")
    assert cancelled.code == 0, cancelled
    assert store.states(batches[1]) == [InvoiceState.CANCELLED]


def test_a_discarded_batch_is_deleted_by_the_sweep(shop: Workshop, terminal: Terminal):
    batch = shop.staged(2)
    shop.disturb(batch)
    assert terminal("decide", batch, "discard", "--because=foi engano").code == 0
    assert terminal("reconcile", "--until-done").code == 0
    assert shop.there() == []


def test_rows_of_a_batch_that_is_being_discarded_come_afterwards(
    each_shop: Workshop, terminal: Terminal, tmp_path: Path
):
    shop, sheet, other = each_shop, tmp_path / "a.csv", tmp_path / "b.csv"
    shop.set(APPROVAL__AUTOMATIC="false")
    write_sheet(sheet, [cells(1), cells(2)])
    write_sheet(other, [cells(1), cells(3)])
    terminal("bill", sheet)
    (batch,) = shop.batches()
    terminal("decide", batch.id, "discard", "--because=foi engano")
    remark = f"2 rows of this file have their invoices in batch {batch.id}, which is being discarded"
    assert remark in terminal("preview", sheet).output
    assert remark in terminal("bill", sheet).output
    beside = terminal("bill", other).output
    assert f"This charge still has its invoice in batch {batch.id}" in beside
    assert "1 taken, 0 held, 1 refused, 0 had an invoice" in beside
    assert terminal("reconcile", "--until-done").code == 0
    again = terminal("bill", sheet).output
    assert ("2 taken" in again, "discarded" in again) == (True, False)
