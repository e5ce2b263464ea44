"""Read a clock that nobody can set back and that runs while the machine is suspended."""

import time
from typing import Final

# Python's monotonic clock stops during suspend on Linux: a deadline on it would outlive the lease.
_CLOCK: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


def steady_s() -> float:
    """Return seconds since a fixed instant, the same for every process of this machine."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)
