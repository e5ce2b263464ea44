"""The workshop of the stations, the store that sells in it and a terminal, for every test of this folder."""

import os
from collections.abc import Iterator

import pytest

from tests.flows.terminal import terminal
from tests.tasks.store import store
from tests.tasks.workshop import blank_ledger, each_shop, provider, shop

__all__ = ["blank_ledger", "each_shop", "provider", "shop", "store", "terminal", "umask"]


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Commands and flows make their process's files private. Give the tests' process its own umask back."""
    kept = os.umask(0o022)
    os.umask(kept)
    yield
    os.umask(kept)
