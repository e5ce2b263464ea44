"""A large staging has its ledger written by a process of its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from connectors.ledger.apart.writer import Writer
from connectors.ledger.looks.posts import count_posts
from domain.problems import FaturistaError
from tasks.runtime import Runtime, resolve_url


@asynccontextmanager
async def written_apart(runtime: Runtime, batch_ids: Sequence[int]) -> AsyncIterator[None]:
    """While this lasts, if these batches are large: the process is started beside the work, which never waits for it.

    Where there can be no such process, or where it ends, the ledger is written here.
    """
    starting = asyncio.create_task(_start_for(runtime, batch_ids))
    try:
        yield
    finally:
        # A task of its own: whoever is cancelled twice leaves no process behind either.
        await asyncio.shield(asyncio.create_task(_end(starting)))


async def _end(starting: "asyncio.Task[Writer | None]") -> None:
    starting.cancel()
    (writer,) = await asyncio.gather(starting, return_exceptions=True)
    if isinstance(writer, Writer):
        await writer.close()


async def _start_for(runtime: Runtime, batch_ids: Sequence[int]) -> Writer | None:
    ledger, settings = runtime.ledger, runtime.settings
    if ledger.elsewhere is not None:
        return None
    with suppress(OSError, FaturistaError):
        if await ledger.reading(count_posts, batch_ids) >= settings.ledger.apart_from:
            return await Writer.start(ledger, resolve_url(settings), lock_wait_s=settings.ledger.lock_wait_s)
    return None
