"""Whether a call is made again, as a pure decision. There is no other retry loop than the session's."""

from dataclasses import dataclass

from connectors.http.calls import Call
from connectors.http.errors import Broken, Busy, ConnectorError, Resting, TooLate, Unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """`tries` of a call in all; waits in seconds double from the first to the longest."""

    tries: int = 4
    first_wait_s: float = 0.25
    longest_wait_s: float = 30.0


def decide(error: ConnectorError, attempt: int, call: Call, *, patience: Patience, draw: float) -> float | None:
    """Seconds to wait before the next try, None to give up; `attempt` counts from 1, `draw` in [0, 1) spreads the load.

    A write is repeated only if no byte of it was written, or if it was turned away by 429. A wait that the provider
    asks for is honoured in full or not at all: coming back earlier would only be turned away again.
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
