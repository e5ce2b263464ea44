"""A call of the ledger that fails after its wait was cancelled: only the run's own error is reported."""

import asyncio
import contextlib
import gc
import threading

import pytest


@pytest.mark.parametrize("name", ["write_async", "read_async"])
def test_an_error_that_nobody_waits_for_is_not_printed(ledger, name):
    begun, released, printed = threading.Event(), threading.Event(), []

    def fail(conn):
        begun.set()
        released.wait()
        raise ValueError("nobody asks for it")

    async def cancel():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: printed.append(context["message"]))
        work = asyncio.create_task(getattr(ledger, name)(fail))
        await asyncio.to_thread(begun.wait)
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work
        del work
        released.set()
        # Another call on the same threads ends after the one that fails.
        await ledger.write_async(lambda conn: None)
        await asyncio.to_thread(ledger.close)
        await asyncio.sleep(0)
        gc.collect()

    asyncio.run(cancel())
    assert printed == []
