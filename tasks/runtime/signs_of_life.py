"""Show other processes that somebody works on a reading, so that no sweep resumes it meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from connectors.ledger import files as ledger_files
from connectors.ledger.engine import LedgerUnavailable
from connectors.process_names import process_name
from tasks.runtime.opening import Runtime

_SIGNS_A_TERM: Final = 3


@asynccontextmanager
async def working_on(runtime: Runtime, reading_id: int) -> AsyncIterator[None]:
    """Give signs of life of a reading, by the clock, until the block ends.

    The last sign stays: the next station of the same process continues, and what comes after it waits for the term.
    """
    await _give_sign(runtime, reading_id)
    signs = asyncio.create_task(_give_signs(runtime, reading_id))
    try:
        yield
    finally:
        signs.cancel()
        with suppress(asyncio.CancelledError):
            await signs


async def _give_signs(runtime: Runtime, reading_id: int) -> None:
    while True:
        await asyncio.sleep(runtime.settings.protocol.lease_s / _SIGNS_A_TERM)
        # without a sign another process may resume the reading, which is safe
        with suppress(LedgerUnavailable):
            await _give_sign(runtime, reading_id)


async def _give_sign(runtime: Runtime, reading_id: int) -> None:
    await runtime.ledger.writing(ledger_files.keep_alive, reading_id, worker=process_name())
