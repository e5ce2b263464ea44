"""A ledger written by another process: the same results and errors, in order; and what the end of either one means."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from connectors.ledger import claims, files
from connectors.ledger.apart.writer import Writer
from connectors.ledger.claims import FenceLost
from connectors.ledger.engine import Ledger, LedgerRefused, LedgerUnavailable
from connectors.ledger.looks.doubts import HeldBack
from connectors.steady import steady_s
from domain.states import BatchState
from tests import ledgers
from tests.children import children_running
from tests.connectors.ledger import scene as scenes

PATIENCE_S = 300.0


def process_of(_conn):
    return os.getpid()


def add_and_say(conn, sha256):
    print("nothing that is printed is an answer")
    return scenes.add_reading(conn, sha256)


def hold_back(_conn):
    raise HeldBack("answer", 7)


def add_twice(conn):
    files.receive(conn, sha256="a" * 64, name="nov.xlsx", size_bytes=9, kind="xlsx")
    conn.execute(sa.text("INSERT INTO files (sha256) VALUES (NULL)"))


class Remade(Exception):
    """Can be packed, and not made again."""

    def __init__(self, what, where):
        super().__init__(f"{what} {where}")


def raise_remade(conn):
    scenes.add_reading(conn)
    raise Remade("a thing", "somewhere")


def raise_of_its_own(conn):
    class OfItsOwn(Exception):
        """Cannot even be packed."""

    scenes.add_reading(conn)
    raise OfItsOwn("told by nobody")


def give_unsayable(conn):
    scenes.add_reading(conn)
    return lambda: None


def made_again(_what):
    raise ValueError("not here")


class Unreadable:
    def __reduce__(self):
        return made_again, ("x",)


def echo(_conn, said):
    return said


def tarry(conn, path):
    """Commits only when it may."""
    made = scenes.add_reading(conn)
    Path(path).write_text(str(os.getpid()))
    until(lambda: not Path(path).exists())
    return made


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def running(ledger_url, story):
    """What a story gives that has a ledger which is written apart."""

    async def main():
        with Ledger.open(ledger_url) as ledger:
            writer = await Writer.start(ledger, ledger_url, lock_wait_s=30)
            try:
                return await story(ledger, writer)
            finally:
                await writer.close()

    return asyncio.run(main())


def test_results_and_errors_are_those_of_the_ledger_itself(ledger_url):
    async def story(ledger, _writer):
        assert await ledger.writing(process_of) != os.getpid()
        held = await ledger.writing(scenes.furnish)
        lease = await ledger.writing(claims.claim, held.batch_id, owner="w", seconds=60, states={BatchState.PLANNED})
        assert 0 < lease.deadline - steady_s() < 60
        with pytest.raises(FenceLost) as lost:
            await ledger.writing(claims.check, claims.Lease(**{**fields(lease), "fence": lease.fence + 1}))
        assert lost.value.problem.code.startswith("batch.")
        with pytest.raises(HeldBack) as back:
            await ledger.writing(hold_back)
        assert (back.value.why, back.value.batch_id, back.value.problem.params) == ("answer", 7, {"batch": 7})
        with pytest.raises(sa.exc.IntegrityError) as twice:
            await ledger.writing(add_twice)
        assert "in add_twice" in twice.value.__notes__[0], "where it went wrong there is not told"
        assert len(ledger.read(scenes.known_files)) == 1, "what failed was not undone"

    running(ledger_url, story)


def test_what_is_asked_together_is_done_in_order_and_nothing_printed_is_an_answer(ledger_url):
    async def story(ledger, _writer):
        return await asyncio.gather(*(ledger.writing(add_and_say, f"{number:064}") for number in range(50)))

    made = running(ledger_url, story)
    assert made == sorted(made)
    assert len(set(made)) == 50


def test_what_cannot_be_said_is_told_where_it_was_asked_and_undone_and_the_rest_is_not_mixed_up(tmp_path):
    async def story(ledger, _writer):
        wrong = (
            (RuntimeError, "a thing somewhere", raise_remade, ()),
            (RuntimeError, "told by nobody", raise_of_its_own, ()),
            (AttributeError, "lambda", give_unsayable, ()),
            (AttributeError, "lambda", echo, (lambda: None,)),
            (ValueError, "not here", echo, (Unreadable(),)),
        )
        each = [ledger.writing(fn, *args) for _, _, fn, args in wrong]
        *came, other = await asyncio.gather(*each, ledger.writing(process_of), return_exceptions=True)
        for (kind, words, _, _), error in zip(wrong, came, strict=True):
            assert (type(error), words in str(error)) == (kind, True), error
        assert other == await ledger.writing(process_of) != os.getpid()
        assert ledger.read(scenes.known_files) == []

    running(ledgers.sqlite_url(tmp_path), story)


def test_more_than_either_side_holds_unread_keeps_nobody_waiting(tmp_path):
    async def story(ledger, _writer):
        long = [bytes([number]) * 3_000_000 for number in range(6)]
        async with asyncio.timeout(PATIENCE_S):
            assert await asyncio.gather(*(ledger.writing(echo, each) for each in long)) == long

    running(ledgers.sqlite_url(tmp_path), story)


def test_closed_it_does_what_it_was_given_and_the_ledger_is_written_here_again(ledger_url):
    async def story(ledger, writer):
        given = [asyncio.create_task(ledger.writing(scenes.add_reading, f"{number:064}")) for number in range(20)]
        await asyncio.sleep(0)
        await writer.close()
        assert len(set(await asyncio.gather(*given))) == 20
        assert await ledger.writing(process_of) == os.getpid()
        assert len(ledger.read(scenes.known_files)) == 20

    running(ledger_url, story)


def test_killed_it_is_a_ledger_that_went_away_until_the_next_is_written_here(ledger_url, tmp_path):
    async def story(ledger, _writer):
        sign = tmp_path / "begun"
        cut = asyncio.create_task(ledger.writing(tarry, str(sign)))
        behind = asyncio.create_task(ledger.writing(scenes.add_reading, "b" * 64))
        await asyncio.to_thread(until, lambda: sign.exists() and sign.read_text())
        os.kill(int(sign.read_text()), signal.SIGKILL)
        for each in (cut, behind):
            with pytest.raises(LedgerUnavailable) as caught:
                await each
            assert caught.value.problem.code == "ledger.unavailable"
        assert await ledger.writing(process_of) == os.getpid()
        assert ledger.read(scenes.known_files) == []

    running(ledger_url, story)


def test_a_cancelled_wait_cancels_nothing(ledger_url, tmp_path):
    async def story(ledger, _writer):
        sign = tmp_path / "begun"
        waiting = asyncio.create_task(ledger.writing(tarry, str(sign)))
        await asyncio.to_thread(until, sign.exists)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        sign.unlink()
        assert await ledger.writing(scenes.add_reading, "b" * 64)
        assert len(ledger.read(scenes.known_files)) == 2

    running(ledger_url, story)


def test_what_is_written_while_all_tasks_are_cancelled_is_written_in_order(tmp_path):
    url, sign = ledgers.sqlite_url(tmp_path), tmp_path / "begun"
    pids = []

    async def strand(ledger):
        try:
            await ledger.writing(tarry, str(sign))
        finally:
            sign.unlink()
            await ledger.writing(scenes.add_reading, "b" * 64)
            pids.append(await ledger.writing(process_of))

    def stop(loop):
        if sign.exists():
            raise SystemExit
        loop.call_later(0.005, stop, loop)

    async def main():
        with Ledger.open(url) as ledger:
            writer = await Writer.start(ledger, url, lock_wait_s=30)
            working = asyncio.create_task(strand(ledger))
            stop(asyncio.get_running_loop())
            try:
                await asyncio.wait([working])
            finally:
                await asyncio.wait([working])
                await writer.close()

    with pytest.raises(SystemExit):
        asyncio.run(main())
    with Ledger.open(url) as ledger:
        assert [file.sha256[0] for file in ledger.read(scenes.known_files)] == ["a", "b"]
    assert pids[0] != os.getpid()


def test_whoever_is_asked_to_end_does_not_end_it_and_any_thread_may_start_it(tmp_path):
    async def story(ledger, _writer):
        other = await ledger.writing(process_of)
        os.kill(other, signal.SIGTERM)
        os.kill(other, signal.SIGINT)
        assert await ledger.writing(process_of) == other

    with ThreadPoolExecutor(1) as threads:
        threads.submit(running, ledgers.sqlite_url(tmp_path), story).result()


def test_where_there_is_no_ledger_none_is_begun_and_nothing_is_left_open(tmp_path):
    async def main():
        with Ledger.open(ledgers.sqlite_url(tmp_path)) as ledger:
            await ledger.reading(process_of)
            await asyncio.to_thread(time.monotonic)
            before = open_files()
            with pytest.raises(LedgerRefused):
                await Writer.start(ledger, ledgers.sqlite_url(tmp_path / "elsewhere"), lock_wait_s=30)
            for each in (0, 0.01):
                starting = asyncio.create_task(Writer.start(ledger, ledgers.sqlite_url(tmp_path), lock_wait_s=30))
                await asyncio.sleep(each)
                starting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await starting
            assert ledger.elsewhere is None
            assert open_files() == before
            assert not children_running(Writer.__module__)
            assert await ledger.writing(process_of) == os.getpid()

    asyncio.run(main())


OWNER = """
import asyncio, sys
from connectors.ledger.apart.writer import Writer
from connectors.ledger.engine import Ledger
from tests.connectors.ledger.apart import test_writer
async def main():
    with Ledger.open(sys.argv[1]) as ledger:
        await Writer.start(ledger, sys.argv[1], lock_wait_s=30)
        await asyncio.gather(
            ledger.writing(test_writer.tarry, sys.argv[2]),
            *(ledger.writing(test_writer.scenes.add_reading, each * 64) for each in "bc"),
        )
asyncio.run(main())
"""


def test_it_ends_after_the_one_that_started_it_was_killed_and_has_done_what_it_was_given(ledger_url, tmp_path):
    sign = tmp_path / "begun"
    with Ledger.open(ledger_url) as ledger:
        owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, ledger_url, str(sign)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        until(lambda: sign.exists() and sign.read_text())
        left = int(sign.read_text())
        owner.kill()
        owner.wait()
        assert is_alive(left)
        sign.unlink()
        until(lambda: not is_alive(left))
        assert len(ledger.read(scenes.known_files)) == 3


def is_alive(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def open_files():
    return {each.name: each.is_socket() for each in Path("/proc/self/fd").iterdir() if each.exists()}


def fields(lease):
    return {name: getattr(lease, name) for name in lease.__dataclass_fields__}
