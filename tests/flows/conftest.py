"""Fixtures for every test of this folder: the workshop of the stations, the store in it, and a terminal."""

import os
from collections.abc import Iterator

import pytest

from tests.flows.terminal import terminal
from tests.tasks.store import store
from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "provider", "shop", "store", "terminal", "umask"]


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Restore the tests' umask: commands and flows make their process's files private."""
    kept = os.umask(0o022)
    os.umask(kept)
    yield
    os.umask(kept)
