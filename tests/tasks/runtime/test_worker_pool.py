"""The pool: never more in flight than allowed, no discarded answer, and a few batches side by side."""

import asyncio
import contextlib

import pytest

from tasks.runtime.worker_pool import WorkerPool


class Wire:
    """The work in flight, and its maximum; an item ends when the test releases it."""

    def __init__(self):
        self.begun = []
        self.most = self.now = 0
        self.is_open = asyncio.Event()

    async def carry(self, item):
        self.begun.append(item)
        self.now += 1
        self.most = max(self.most, self.now)
        await self.is_open.wait()
        await asyncio.sleep(0)
        self.now -= 1
        if item == "bad":
            raise ValueError(item)
        return item


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def test_concurrent_orders_share_the_limit_and_keep_results():
    async def main():
        pool, wire = WorkerPool(), Wire()
        orders = [asyncio.create_task(pool.each(wire.carry, range(start, start + 7), at_once=3)) for start in (0, 10)]
        await settle()
        assert wire.begun == [0, 1, 2]
        wire.is_open.set()
        first, second = await asyncio.gather(*orders)
        assert (sorted(first), sorted(second)) == (list(range(7)), list(range(10, 17)))
        assert wire.most == 3
        assert await pool.each(wire.carry, [], at_once=3) == []
        assert await pool.each(wire.carry, [8], at_once=3) == [8]

    asyncio.run(main())


@pytest.mark.parametrize("steps", range(6))
def test_an_order_given_while_the_last_hand_leaves_is_served(steps):
    """The last worker found no other order and is about to end: an order that relies on it would wait for ever."""

    async def main():
        pool, last = WorkerPool(), asyncio.Event()

        async def wait(item):
            await last.wait()
            return item

        first = asyncio.create_task(pool.each(wait, [1], at_once=1))
        await settle()
        last.set()
        for _ in range(steps):
            await asyncio.sleep(0)
        async with asyncio.timeout(300):
            assert await pool.each(wait, [2], at_once=1) == [2]
        assert await first == [1]

    asyncio.run(main())


def test_the_lowest_rank_is_served_first_and_equal_ones_in_turn():
    async def main():
        pool, wire = WorkerPool(), Wire()
        orders = [asyncio.create_task(pool.each(wire.carry, [5, 6, 7], at_once=1, rank=2))]
        await settle()
        for items, rank in (([8], 2), ([3, 4], 1), (["first"], 0)):
            orders.append(asyncio.create_task(pool.each(wire.carry, items, at_once=1, rank=rank)))
            await settle()
        wire.is_open.set()
        await asyncio.gather(*orders)
        assert wire.begun == [5, "first", 3, 4, 6, 7, 8]

    asyncio.run(main())


def test_an_error_is_raised_after_all_work_ended():
    async def main():
        pool, wire = WorkerPool(), Wire()
        wire.is_open.set()
        with pytest.raises(ValueError, match="bad"):
            await pool.each(wire.carry, ["bad", 1, 2, 3], at_once=2)
        assert (wire.begun, wire.now) == (["bad", 1, 2, 3], 0)
        assert await pool.each(wire.carry, [4], at_once=2) == [4]

    asyncio.run(main())


def test_after_a_cancellation_no_waiting_item_begins():
    async def main():
        pool, wire = WorkerPool(), Wire()
        given_up = asyncio.create_task(pool.each(wire.carry, [1, 2, 3, 4], at_once=2))
        other = asyncio.create_task(pool.each(wire.carry, [5, 6], at_once=2))
        await settle()
        given_up.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await given_up
        wire.is_open.set()
        assert sorted(await other) == [5, 6]
        assert sorted(wire.begun) == [1, 2, 5, 6]

    asyncio.run(main())


def test_a_few_batches_post_at_once_and_a_slot_is_left_once():
    async def main():
        pool, inside = WorkerPool(), []

        async def batch(number, may_end):
            async with pool.posting_slot() as slot:
                inside.append(number)
                slot.begun()
                await may_end.wait()
                slot.leave()
                slot.leave()

        ends = [asyncio.Event() for _ in range(6)]
        batches = [asyncio.create_task(batch(number, end)) for number, end in enumerate(ends)]
        await settle()
        assert inside == [0, 1, 2]
        ends[1].set()
        await settle()
        assert inside == [0, 1, 2, 3]
        for end in ends:
            end.set()
        await asyncio.gather(*batches)
        assert inside == [0, 1, 2, 3, 4, 5]

    asyncio.run(main())


def test_the_next_batch_enters_after_the_one_before():
    async def main():
        pool, inside = WorkerPool(), []

        async def batch(number, may_begin, may_end):
            async with pool.posting_slot() as slot:
                inside.append(number)
                await may_begin.wait()
                slot.begun()
                await may_end.wait()

        begins, ends = ([asyncio.Event() for _ in range(4)] for _ in range(2))
        batches = [asyncio.create_task(batch(number, begins[number], ends[number])) for number in range(4)]
        await settle()
        assert inside == [0]
        begins[0].set()
        await settle()
        assert inside == [0, 1]
        batches[2].cancel()
        batches[1].cancel()
        await settle()
        assert inside == [0, 1, 3]
        for event in (*begins, *ends):
            event.set()
        await asyncio.gather(*batches, return_exceptions=True)
        assert inside == [0, 1, 3]

    asyncio.run(main())
