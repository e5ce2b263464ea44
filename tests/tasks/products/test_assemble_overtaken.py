"""A sheet of orders that was compared with the ledger before another sheet billed the same order, spelled otherwise."""

import pytest

from tasks.products import assemble
from tests.tasks.interleaving import meanwhile
from tests.tasks.store import FIRST_ROW, Store, sale

pytestmark = pytest.mark.both_databases


def test_a_sheet_that_another_one_overtook_is_compared_again(each_store: Store, monkeypatch: pytest.MonkeyPatch):
    store = each_store
    meanwhile(monkeypatch, assemble, "compose_orders", is_after=True)(lambda: store.sold(sale("1")))
    reading, made = store.sold(sale("0001"), sale("7"))
    assert store.problems(reading) == {FIRST_ROW: ["product.similar_living"]}
    assert len(store.notes(made[0])) == 1
