"""Work on several batches concurrently in one runtime, whose sessions enforce the account's rate limit for all."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from connectors.http.errors import Denied, Resting
from connectors.ledger.engine import LedgerUnavailable
from domain.station_result import StationResult

_SAME_FOR_ALL: Final = (Denied, LedgerUnavailable, Resting)
_FINISHED: Final = "finished_results"


def finished_beside(error: Exception) -> list[StationResult]:
    """Return the reports of the finished batches from an error that `run_batches` raised."""
    return list(getattr(error, _FINISHED, ()))


async def run_batches(
    batch_ids: Sequence[int], work: Callable[[int], Awaitable[StationResult]], *, at_once: int
) -> list[StationResult]:
    """Work on each batch, at most `at_once` at a time. Return their reports in the same order.

    A failed batch does not stop the others. Its error is raised at the end, several errors as an `ExceptionGroup`;
    `finished_beside` returns the other reports from it. After an error that every batch would meet (`Denied`,
    `LedgerUnavailable`, `Resting`) no further batch begins, and this error alone is raised.
    """
    results: dict[int, StationResult] = {}
    errors: list[Exception] = []
    waiting = iter(batch_ids)

    async def take_turns() -> None:
        for batch_id in waiting:
            try:
                results[batch_id] = await work(batch_id)
            except Exception as error:  # noqa: BLE001 - raised when everybody had their turn
                errors.append(error)
                if isinstance(error, _SAME_FOR_ALL):
                    return
            if any(isinstance(error, _SAME_FOR_ALL) for error in errors):
                return

    await asyncio.gather(*(take_turns() for _ in range(min(at_once, len(batch_ids)))))
    if errors:
        errors.sort(key=lambda error: not isinstance(error, _SAME_FOR_ALL))
        is_one = len(errors) == 1 or isinstance(errors[0], _SAME_FOR_ALL)
        error = errors[0] if is_one else ExceptionGroup("several batches could not be worked on", errors)
        setattr(error, _FINISHED, [results[batch_id] for batch_id in batch_ids if batch_id in results])
        raise error
    return [results[batch_id] for batch_id in batch_ids]
