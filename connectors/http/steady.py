"""Read a clock that nobody can put back and that runs on while the machine is suspended."""

import time
from typing import Final

# Python's monotonic clock stands still during suspend on Linux: a deadline on it would outlive the lease it stands for.
_CLOCK: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


def steady_s() -> float:
    """Return seconds since some fixed instant, the same instant for every process of this machine."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)
