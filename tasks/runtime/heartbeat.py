"""Send heartbeats of a reading: they show other processes that this one works on it, so that no sweep resumes it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from connectors.ledger import files as ledger_files
from connectors.ledger.engine import LedgerUnavailable
from connectors.process_names import process_name
from tasks.runtime.opening import Runtime

_BEATS_A_TERM: Final = 3


@asynccontextmanager
async def heartbeats_of(runtime: Runtime, reading_id: int) -> AsyncIterator[None]:
    """Store a heartbeat of a reading at once and then regularly, until the block ends.

    The last heartbeat stays: the next station of this process continues, and another process waits until it expires.
    """
    await _send(runtime, reading_id)
    task = asyncio.create_task(_keep_sending(runtime, reading_id))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _keep_sending(runtime: Runtime, reading_id: int) -> None:
    while True:
        await asyncio.sleep(runtime.settings.protocol.lease_s / _BEATS_A_TERM)
        # without a heartbeat another process may resume the reading, which is safe
        with suppress(LedgerUnavailable):
            await _send(runtime, reading_id)


async def _send(runtime: Runtime, reading_id: int) -> None:
    await runtime.ledger.write_async(ledger_files.record_heartbeat, reading_id, worker=process_name())
