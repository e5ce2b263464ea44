"""The workshop of the stations, the store that sells in it and a terminal, for every test of this folder."""

from tests.flows.terminal import terminal
from tests.tasks.store import store
from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "provider", "shop", "store", "terminal"]
