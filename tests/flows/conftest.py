"""The workshop of the stations, for every test of this folder: a sandbox and an empty ledger."""

from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "provider", "shop"]
