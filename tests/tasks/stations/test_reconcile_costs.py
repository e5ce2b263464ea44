"""The cost of a look without changes: commits take most of the time, on either database."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from connectors.ledger.engine import Ledger
from tasks.stations.reconcile import reconcile_batch
from tests.tasks.workshop import Workshop


class Counted(Ledger):
    """Counts its transactions."""

    writes = reads = 0

    def write(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        self.writes += 1
        return super().write(fn, *args, **kwargs)

    def read(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        self.reads += 1
        return super().read(fn, *args, **kwargs)


@pytest.mark.both_databases
def test_a_look_without_news_is_two_transactions_and_a_request(each_shop: Workshop):
    shop = each_shop
    shop.sandbox.switch(advance="looks", advance_looks=20)
    batch = shop.sent(3)
    shop.run(reconcile_batch, batch)

    async def look(runtime):
        with Counted.open(shop.ledger_url) as ledger:
            ledger.writes = ledger.reads = 0
            result = await reconcile_batch(dataclasses.replace(runtime, ledger=ledger), batch)
            return result.ending, ledger.writes, ledger.reads

    assert shop.run(look) == ("waiting", 2, 1)
    assert shop.batch(batch).looks == 2
