"""The provider's clock. A person may set it ahead, to skip a night, a month's end or an outage."""

import time
from typing import Final

from connectors.emulation.state_file import Store

_AHEAD: Final = "clock_ahead"
_FURTHEST_S: Final = 10 * 365 * 86_400


class Clock:
    """A clock in seconds since 1970. The store keeps how far it is ahead of the real time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.ahead_s = 0.0
        self.reload()

    def now(self) -> float:
        return time.time() + self.ahead_s

    def put_ahead(self, seconds: float) -> float:
        """Advance the clock by `seconds`, or set it back if negative. Return its total advance in seconds.

        Raises `ValueError` for a total of more than ten years.
        """
        if not -_FURTHEST_S <= self.ahead_s + seconds <= _FURTHEST_S:
            raise ValueError("the clock is put ahead or back by ten years at most")
        self.ahead_s += seconds
        self._store.set_setting(_AHEAD, self.ahead_s)
        return self.ahead_s

    def reload(self) -> None:
        """Read the advance from the store again, after the store was emptied or rolled back."""
        self.ahead_s = float(self._store.setting(_AHEAD, 0.0))
