"""The provider's clock."""

import time

from connectors.emulation.clock import Clock
from connectors.emulation.state_file import Store


def test_an_advanced_clock_stays_advanced():
    store = Store(None, "")
    clock = Clock(store)
    assert (clock.put_ahead(3600), clock.put_ahead(60)) == (3600, 3660)
    again = Clock(store)
    assert again.ahead_s == 3660
    assert again.now() > time.time() + 3000
    store.empty()
    again.reload()
    assert again.ahead_s == 0
