"""Fixtures for every test of this folder: the workshop of the stations, and the store in it."""

from zlib import crc32

import pytest

from tests.ledgers import DATABASES
from tests.tasks.store import each_store, store
from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "each_store", "provider", "shop", "store"]


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of `each_shop` on one database, which its name chooses, unless it is marked `both_databases`."""
    if "each_shop" in metafunc.fixturenames and not metafunc.definition.get_closest_marker("both_databases"):
        database = DATABASES[crc32(metafunc.function.__name__.encode()) % len(DATABASES)]
        metafunc.definition.add_marker(pytest.mark.parametrize("ledger_url", [database], indirect=True))
