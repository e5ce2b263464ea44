"""Ids of log lines: they apply within their block and the tasks that it starts, and nowhere else."""

import asyncio

from domain.log_context import bind_ids, bound_ids


def test_ids_hold_within_their_block():
    with bind_ids(run="a", batch=1), bind_ids(batch=2):
        assert bound_ids() == {"run": "a", "batch": 2}
    assert bound_ids() == {}


def test_tasks_beside_one_another_have_their_own():
    async def work(batch: int) -> dict[str, str | int]:
        with bind_ids(batch=batch):
            await asyncio.sleep(0)
            return dict(bound_ids())

    async def together() -> list[dict[str, str | int]]:
        with bind_ids(run="a"):
            return await asyncio.gather(*map(work, (1, 2)))

    assert asyncio.run(together()) == [{"run": "a", "batch": 1}, {"run": "a", "batch": 2}]
