"""Fixtures for every test of this folder: the workshop of the stations, and the store in it."""

from tests.tasks.store import each_store, store
from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "each_store", "provider", "shop", "store"]
