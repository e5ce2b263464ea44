"""Concurrent coroutines end together: none outlives the call that began it."""

import asyncio

import pytest

from tasks.runtime.task_group import run_together


def test_results_come_in_order():
    async def later(number: int) -> int:
        await asyncio.sleep(0.01 * (3 - number))
        return number

    assert asyncio.run(run_together(later(number) for number in range(3))) == [0, 1, 2]


def test_an_error_leaves_nothing_running():
    ended = []

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("wait")

    async def both() -> list[str]:
        with pytest.raises(ZeroDivisionError):
            await run_together([fail(), wait()])
        return [*ended]

    assert asyncio.run(both()) == ["wait"]
