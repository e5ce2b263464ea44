"""The workshop in which stations are tested, for every test of this folder."""

from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "provider", "shop"]
