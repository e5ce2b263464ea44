"""While a station works on a reading, other processes see it, however slow the station is."""

import asyncio
import dataclasses

import pytest
import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.process_names import process_name
from tasks.runtime import Runtime
from tasks.runtime.heartbeat import heartbeats_of
from tests.tasks.rows import lines
from tests.tasks.workshop import Workshop

MOST_S = 60.0
ELSEWHERE = "another-machine-1:1-1"


def worker_of(conn: sa.Connection, reading_id: int) -> str | None:
    """Return the process that sent the last heartbeat."""
    readings = tables.readings
    worker: str | None = conn.execute(
        sa.select(readings.c.worker).where(readings.c.id == reading_id, readings.c.alive_at.is_not(None))
    ).scalar_one_or_none()
    return worker


def impatient(runtime: Runtime) -> Runtime:
    """Return the runtime with a term so short that the next heartbeat comes soon."""
    protocol = runtime.settings.protocol.model_copy(update={"lease_s": 0.03})
    return dataclasses.replace(runtime, settings=runtime.settings.model_copy(update={"protocol": protocol}))


async def wait_for_heartbeat(runtime: Runtime, reading: int) -> None:
    await runtime.ledger.write_async(files.record_heartbeat, reading, worker=ELSEWHERE)
    async with asyncio.timeout(MOST_S):
        while await runtime.ledger.read_async(worker_of, reading) == ELSEWHERE:
            await asyncio.sleep(0.01)


def test_signs_come_until_the_work_ends(shop: Workshop):
    reading = shop.reading(*lines(1))

    async def work(runtime: Runtime) -> None:
        before = asyncio.all_tasks()
        async with heartbeats_of(runtime, reading):
            assert runtime.ledger.read(worker_of, reading) == process_name()

        async with heartbeats_of(impatient(runtime), reading):
            await wait_for_heartbeat(runtime, reading)
            await wait_for_heartbeat(runtime, reading)
        assert asyncio.all_tasks() == before

    shop.run(work)
    assert shop.read(worker_of, reading) == process_name()


def test_an_error_ends_the_signs_and_is_raised(shop: Workshop):
    reading = shop.reading(*lines(1))

    async def fail(runtime: Runtime) -> None:
        before = asyncio.all_tasks()
        with pytest.raises(ZeroDivisionError):
            async with heartbeats_of(impatient(runtime), reading):
                raise ZeroDivisionError
        assert asyncio.all_tasks() == before

    shop.run(fail)
