"""Coroutines with equal timeouts: one timer ends each at its own time. The test controls the clock."""

import asyncio
import contextlib

import pytest

from connectors.http.shared_timeout import Bound

GIVEN_S = 10.0


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose time passes when the test says so."""

    at = 0.0

    def time(self):
        return self.at


def run(main):
    with asyncio.Runner(loop_factory=Loop) as runner:
        return runner.run(main())


async def later(seconds):
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    loop.at += seconds
    for _ in range(5):
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def begun(*works):
    """Return tasks that began two seconds after one another."""
    bound = Bound(GIVEN_S)
    tasks = []
    for work in works:
        tasks.append(asyncio.create_task(bound.within(work)))
        await later(0)
        await later(2)
    yield tasks
    assert all(task.done() for task in tasks)
    bound.close()


async def hang():
    await asyncio.Event().wait()


async def says(what):
    return what


def test_a_work_that_ends_in_time_gives_what_it_gives():
    async def fails():
        raise LookupError("of its own")

    async def main():
        async with begun(says("done"), fails(), says("again")) as (first, second, third):
            assert isinstance(second.exception(), LookupError)
            return first.result(), third.result()

    assert run(main) == ("done", "again")


def test_each_is_cut_off_at_its_own_end_and_no_earlier():
    async def main():
        gone = []
        async with begun(hang(), says("done"), hang(), hang()) as tasks:
            for _ in range(9):
                gone.append([task.done() for task in tasks].count(True))
                await later(1)
            assert all(isinstance(tasks[place].exception(), TimeoutError) for place in (0, 2, 3))
        return gone

    # They began at 0, 2, 4 and 6; the check begins at 8.
    assert run(main) == [1, 1, 2, 2, 2, 2, 3, 3, 4]


def test_the_next_one_is_cut_off_as_well_after_a_pause():
    async def main():
        bound = Bound(GIVEN_S)
        for _ in range(2):
            task = asyncio.create_task(bound.within(hang()))
            await later(0)
            await later(GIVEN_S)
            assert isinstance(task.exception(), TimeoutError)
            await later(100)

    run(main)


def test_cancelled_from_outside_is_no_timeout():
    async def main():
        async with begun(hang()) as (task,):
            task.cancel()
            await later(0)
            return task.cancelled()

    assert run(main)


@pytest.mark.parametrize("is_before", [True, False])
def test_a_cancellation_at_the_same_moment_is_no_timeout(is_before):
    async def main():
        async with begun(hang()) as (task,):
            loop = asyncio.get_running_loop()
            loop.call_at(GIVEN_S - 0.001 if is_before else GIVEN_S + 0.001, task.cancel)
            await later(GIVEN_S)
            return task.cancelled()

    assert run(main)


def test_an_error_during_a_timeout_does_not_end_its_task():
    async def fails_at_the_end():
        try:
            await hang()
        finally:
            raise LookupError("of its own")

    async def main():
        bound = Bound(GIVEN_S)

        async def goes_on():
            with pytest.raises(LookupError, match="of its own"):
                await bound.within(fails_at_the_end())
            return "went on"

        task = asyncio.create_task(goes_on())
        await later(0)
        await later(GIVEN_S)
        return task.result(), task.cancelling()

    assert run(main) == ("went on", 0)


def test_a_work_that_takes_leave_slowly_is_cut_off_once():
    async def main():
        gone = asyncio.Event()

        async def leaves_slowly():
            try:
                await hang()
            finally:
                await gone.wait()

        async with begun(leaves_slowly(), hang()) as (slow, other):
            for _ in range(4):
                await later(2)
            assert isinstance(other.exception(), TimeoutError)
            assert not slow.done()
            gone.set()
            await later(0)
            assert isinstance(slow.exception(), TimeoutError)

    run(main)
