"""The sweeps by command: products issued, followed and documented, and a discarded batch deleted."""

from domain.states import InvoiceState
from tasks.stations.stage import stage_batch
from tests.flows.terminal import Terminal
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
