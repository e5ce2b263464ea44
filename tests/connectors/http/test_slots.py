"""Test the slots of one session: its own limit, or a share that other processes may reduce."""

import asyncio

import pytest

from connectors.http.errors import NoFreeSlot
from connectors.http.slots import Slots


class Shares:
    """A shared limit in memory whose shares the test sets."""

    def __init__(self, *shares, for_s=60.0):
        self.shares, self.for_s = list(shares), for_s
        self.asked, self.given_back = [], 0

    async def share(self, *, in_use, limit):
        self.asked.append(in_use)
        share = self.shares.pop(0) if len(self.shares) > 1 else self.shares[0]
        if isinstance(share, Exception):
            raise share
        return min(share, limit), self.for_s

    async def give_back(self):
        self.given_back += 1


async def work(slots, count):
    """Run this many requests at once. Return the most that ran together."""
    running, most = 0, 0

    async def one():
        nonlocal running, most
        await slots.take("GET x", earlier=0)
        try:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
        finally:
            slots.free()

    await asyncio.gather(*(one() for _ in range(count)))
    return most


async def worked(slots, count):
    try:
        return await work(slots, count)
    finally:
        await slots.close()


def test_without_a_share_the_session_has_its_own_limit():
    assert asyncio.run(worked(Slots(3), 20)) == 3


def test_a_share_limits_and_is_requested_once():
    shares = Shares(2)
    assert asyncio.run(worked(Slots(8, shares), 20)) == 2
    assert (len(shares.asked), shares.given_back) == (1, 1)


def test_without_a_slot_the_session_asks_again():
    shares = Shares(0, 0, 4)
    assert asyncio.run(worked(Slots(8, shares), 9)) == 4
    assert shares.asked == [0, 0, 0]


def test_no_slot_for_long_raises_and_nothing_was_sent():
    with pytest.raises(NoFreeSlot) as caught:
        asyncio.run(worked(Slots(8, Shares(0), longest_wait_s=0.05), 1))
    assert not caught.value.wire.was_begun


def test_an_old_share_begins_no_request():
    shares = Shares(5, for_s=-1.0)
    with pytest.raises(NoFreeSlot):
        asyncio.run(worked(Slots(8, shares, longest_wait_s=0.05), 1))


def test_a_failing_ledger_is_raised_to_waiting_requests():
    slots = Slots(8, Shares(OSError("ledger"), 1))

    async def twice():
        with pytest.raises(OSError, match="ledger"):
            await work(slots, 1)
        return await worked(slots, 3)

    assert asyncio.run(twice()) == 1


def test_a_cancelled_wait_takes_no_slot():
    async def run():
        slots = Slots(1)
        await slots.take("GET x", earlier=0)
        waits = [asyncio.ensure_future(work(slots, 1)) for _ in range(3)]
        await asyncio.sleep(0)
        waits[0].cancel()
        await asyncio.sleep(0)
        slots.free()
        # the slot comes in the same instant as the second cancellation
        waits[1].cancel()
        return await asyncio.gather(*waits, return_exceptions=True), await work(slots, 2)

    ended, most = asyncio.run(run())
    assert [type(each) for each in ended] == [asyncio.CancelledError, asyncio.CancelledError, int]
    assert most == 1


def test_an_idle_session_gives_its_share_back():
    shares = Shares(2)

    async def run():
        slots = Slots(8, shares)
        await work(slots, 2)
        while not shares.given_back:
            await asyncio.sleep(0.05)
        return await worked(slots, 2)

    assert asyncio.run(run()) == 2
    assert shares.given_back == 2


def test_while_it_asks_a_session_counts_its_whole_share():
    shares = Shares(6, 2, 2)

    async def one(slots, done):
        await slots.take("GET x", earlier=0)
        await done.wait()
        slots.free()

    async def run():
        slots, done = Slots(8, shares), asyncio.Event()
        first = asyncio.ensure_future(one(slots, done))
        while len(shares.asked) < 2:
            await asyncio.sleep(0.05)
        # five more could have begun before the second answer came
        assert shares.asked == [0, 6]
        while len(shares.asked) < 3:
            await asyncio.sleep(0.05)
        done.set()
        await first
        await slots.close()

    asyncio.run(run())
    assert shares.asked[2] == 2
