"""Whether a staging has its ledger written by another process, and that none is left behind."""

import ast
import asyncio
import os
import signal
from pathlib import Path

import pytest

import tasks
from connectors.ledger.apart.writer import Writer
from domain.states import BatchState
from tasks.protocol.apart import written_apart
from tasks.stage import stage_batches
from tests.children import children_running
from tests.tasks.workshop import Workshop

PATIENCE_S = 300.0


def process_of(_conn):
    return os.getpid()


async def is_apart(runtime):
    async with asyncio.timeout(PATIENCE_S):
        while runtime.ledger.elsewhere is None:
            await asyncio.sleep(0.005)
    return await runtime.ledger.writing(process_of)


def test_what_is_written_is_a_function_of_a_module_and_told_nothing_that_cannot_be_packed():
    """Whatever station asks: the next one that is written apart finds out too late."""
    calls = [
        (f"{path.name}:{node.lineno}", node)
        for path in Path(tasks.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "writing"
    ]
    assert len(calls) > 50
    for where, call in calls:
        assert isinstance(call.args[0], ast.Attribute), where
        told = [*call.args[1:], *(each.value for each in call.keywords)]
        assert not any(isinstance(each, ast.Lambda | ast.GeneratorExp) for each in told), where


def test_a_large_staging_is_written_by_a_process_that_ends_with_it(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(6)
    shop.set(LEDGER__APART_FROM=6)

    async def stage(runtime):
        async with written_apart(runtime, [batch]):
            other = await is_apart(runtime)
            tallies = await stage_batches(runtime, [batch])
            assert await runtime.ledger.writing(process_of) == other != os.getpid(), "the inner one ended the outer's"
        assert await runtime.ledger.writing(process_of) == os.getpid()
        with pytest.raises(ProcessLookupError):
            os.kill(other, 0)
        return tallies

    (tally,) = shop.run(stage)
    assert dict(tally.counts) == {"staged": 6, "refused": 0}
    assert shop.batch(batch).state is BatchState.STAGED
    assert len(shop.there()) == 6


def test_a_smaller_one_is_written_here(shop: Workshop):
    batches = [shop.planned(2), shop.planned(3)]
    shop.set(LEDGER__APART_FROM=6)

    async def wait(runtime):
        async with written_apart(runtime, batches):
            await asyncio.sleep(0.3)
            return runtime.ledger.elsewhere

    assert shop.run(wait) is None


def test_one_that_is_over_before_the_process_is_ready_leaves_none_behind(shop: Workshop):
    shop.set(LEDGER__APART_FROM=1)
    batch = shop.planned(1)

    async def stage(runtime):
        async with written_apart(runtime, [batch]):
            await asyncio.sleep(0.02)
        assert runtime.ledger.elsewhere is None
        return await runtime.ledger.writing(process_of)

    assert shop.run(stage) == os.getpid()
    assert not children_running(Writer.__module__)


def test_cancelled_again_and_again_it_leaves_none_behind(shop: Workshop):
    shop.set(LEDGER__APART_FROM=1)
    batch = shop.planned(1)

    async def stage(runtime):
        others = []

        async def work():
            async with written_apart(runtime, [batch]):
                others.append(await is_apart(runtime))
                await asyncio.Event().wait()

        working = asyncio.create_task(work())
        async with asyncio.timeout(PATIENCE_S):
            while not others:
                await asyncio.sleep(0.005)
            while not working.done():
                working.cancel()
                await asyncio.sleep(0)
            while Path(f"/proc/{others[0]}").exists():
                await asyncio.sleep(0.005)
        assert runtime.ledger.elsewhere is None

    shop.run(stage)


def test_killed_between_two_transactions_it_is_not_missed(each_shop: Workshop):
    shop = each_shop
    batch = shop.planned(6)
    shop.set(LEDGER__APART_FROM=6)
    shop.sandbox.switch(fixed_latency_ms=200)

    async def stage(runtime):
        async with written_apart(runtime, [batch]):
            other = await is_apart(runtime)
            staging = asyncio.create_task(stage_batches(runtime, [batch]))
            while not await asyncio.to_thread(shop.asked, "notes.create"):
                await asyncio.sleep(0.01)
            os.kill(other, signal.SIGKILL)
            return await staging

    (tally,) = shop.run(stage)
    assert dict(tally.counts) == {"staged": 6, "refused": 0}
    assert sorted(note["number"] for note in shop.there()) == [1, 2, 3, 4, 5, 6]
