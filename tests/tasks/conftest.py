"""The workshop in which stations are tested, and the store that sells in it, for every test of this folder."""

from tests.tasks.store import each_store, store
from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "each_store", "provider", "shop", "store"]
