"""Decide whether to repeat a call. Pure; the session has the only retry loop."""

from dataclasses import dataclass

from connectors.http.calls import Call
from connectors.http.errors import Broken, Busy, ConnectorError, Resting, TooLate, Unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Limits of the retries: at most `tries` attempts of a call; waits double from the first to the longest."""

    tries: int = 4
    first_wait_s: float = 0.25
    longest_wait_s: float = 30.0


def decide(error: ConnectorError, attempt: int, call: Call, *, patience: Patience, draw: float) -> float | None:
    """Return the seconds to wait before the next try, None to give up.

    `attempt` counts from 1; `draw` is a random number in [0, 1), for jitter. A write is repeated only if no byte of it
    was written, or if a 429 refused it. If the provider asks for a wait above `longest_wait_s`, the answer is None: an
    earlier try would be refused again.
    """
    if attempt >= patience.tries or not _may_repeat(error, call):
        return None
    wait = patience.first_wait_s * float(2 ** (attempt - 1)) * (0.5 + 0.5 * draw)
    if error.retry_after is not None:
        return max(error.retry_after, wait) if error.retry_after <= patience.longest_wait_s else None
    return min(wait, patience.longest_wait_s)


def _may_repeat(error: ConnectorError, call: Call) -> bool:
    if isinstance(error, TooLate | Resting):
        return False
    return isinstance(error, Unreachable | Busy) or (isinstance(error, Broken) and not call.is_write)
