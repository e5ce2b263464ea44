"""Opening a ledger, its transactions, and guarantees for async code."""

import asyncio
import contextlib
import os
import sqlite3
import stat
import threading

import pytest
import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.alerts import open_alerts
from connectors.ledger.database.sql import now
from connectors.ledger.engine import HEAD, Ledger, LedgerRefused, LedgerUnavailable, close_ledgers, shared_ledger
from tests import ledgers
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.backup.room import room_for
from tests.faults.theatre import PROCESSES
from tests.servers import free_port


def code_of(caught):
    return caught.value.problem.code


def test_a_ledger_opens_again_with_what_it_held(ledger_url):
    with Ledger.open(ledger_url) as first:
        held = first.write(scenes.furnish)
        before = first.read(scenes.contents)
    with Ledger.open(ledger_url, migrate=False) as again:
        assert again.read(scenes.contents) == before
        assert again.dialect in ledgers.DATABASES
    assert held.batch_id


def test_a_failing_functions_writes_are_undone(ledger):
    def fail(conn):
        scenes.furnish(conn)
        raise ValueError

    before = ledger.read(scenes.contents)
    with pytest.raises(ValueError):
        ledger.write(fail)
    assert ledger.read(scenes.contents) == before


def test_a_reader_cannot_write(ledger):
    with pytest.raises((LedgerUnavailable, sa.exc.DBAPIError)):
        ledger.read(scenes.add_reading)
    assert ledger.read(scenes.known_files) == []


def test_a_reader_sees_one_snapshot(ledger):
    def read_write_read(conn):
        first = scenes.known_files(conn)
        other = threading.Thread(target=ledger.write, args=(scenes.add_reading,))
        other.start()
        other.join()
        return first, scenes.known_files(conn)

    assert ledger.read(read_write_read) == ([], [])
    assert len(ledger.read(scenes.known_files)) == 1


def test_writers_wait_for_one_another(ledger):
    def raise_by_one(conn):
        table = tables.series
        number = conn.execute(sa.select(table.c.next_number).with_for_update()).scalar_one()
        conn.execute(sa.update(table).values(next_number=number + 1))

    ledger.write(scenes.furnish, 1)
    threads = [threading.Thread(target=lambda: [ledger.write(raise_by_one) for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.read(lambda conn: conn.execute(sa.select(tables.series.c.next_number)).scalar_one()) == 42


def test_transactions_that_wait_for_each_other_both_end(ledger):
    """PostgreSQL undoes one of the two and repeats it. SQLite lets the second begin when the first has ended."""
    meeting = threading.Barrier(2)
    ended = []

    def touch_both(conn, ids):
        for each in ids:
            conn.execute(sa.update(tables.takers).where(tables.takers.c.id == each).values(name="touched"))
            with contextlib.suppress(threading.BrokenBarrierError):
                meeting.wait(0.3)

    _, _, [one, two, _] = ledger.write(scenes.add_parties)
    threads = [
        threading.Thread(target=lambda ids=ids: ended.append(ledger.write(touch_both, ids)))
        for ids in ([one, two], [two, one])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ended) == 2


def test_async_code_writes_on_one_thread_and_never_on_the_loops(ledger):
    def thread_of(conn):
        return threading.get_ident()

    async def run():
        written = await asyncio.gather(*(ledger.write_async(thread_of) for _ in range(8)))
        read = await ledger.read_async(thread_of)
        return set(written), read, threading.get_ident()

    written, read, loop = asyncio.run(run())
    assert len(written) == 1
    assert loop not in {*written, read}


def test_a_cancelled_wait_does_not_cancel_the_transaction(ledger, ledger_url):
    begun, may_go = threading.Event(), threading.Event()

    def slow(conn):
        begun.set()
        may_go.wait(60)
        return scenes.add_reading(conn)

    async def run():
        queued = [asyncio.ensure_future(ledger.write_async(each)) for each in (slow, scenes.add_reading)]
        await asyncio.to_thread(begun.wait, 60)
        for each in queued:
            each.cancel()
        await asyncio.gather(*queued, return_exceptions=True)
        may_go.set()

    asyncio.run(run())
    ledger.close()
    with Ledger.open(ledger_url) as again:
        count = sa.select(sa.func.count()).select_from(tables.readings)
        assert again.read(lambda conn: conn.execute(count).scalar_one()) == 2


def test_the_clock_is_the_databases_and_moves_in_a_transaction(ledger):
    first, second = ledger.write(lambda conn: (now(conn), now(conn)))
    assert first < second


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://localhost/y", "nonsense", ""])
def test_an_unfit_ledger_address_is_refused(url):
    with pytest.raises(LedgerRefused) as caught:
        Ledger.open(url)
    assert code_of(caught) == "ledger.address"


def test_a_ledger_that_is_not_there_is_not_made_by_looking(tmp_path):
    with pytest.raises(LedgerRefused) as caught:
        Ledger.open(ledgers.sqlite_url(tmp_path / "deep"), migrate=False)
    assert code_of(caught) == "ledger.missing"
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "ledger.db"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(LedgerRefused) as caught:
        Ledger.open(f"sqlite:///{path}")
    assert code_of(caught) == "ledger.foreign"
    assert path.read_bytes() == b"not a database" * 100


def test_somebody_elses_database_is_left_alone(tmp_path):
    path = tmp_path / "ledger.db"
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(LedgerRefused) as caught:
        Ledger.open(f"sqlite:///{path}")
    assert code_of(caught) == "ledger.foreign"
    assert path.read_bytes() == before


def test_a_ledger_of_a_newer_version_is_refused(ledger_url):
    with Ledger.open(ledger_url) as ledger:
        ledger.write(lambda conn: conn.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))
    for migrate in (True, False):
        with pytest.raises(LedgerRefused):
            Ledger.open(ledger_url, migrate=migrate)


def test_an_absent_server_is_named(tmp_path):
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(f"postgresql://nobody@localhost/nothing?host={tmp_path}")
    assert code_of(caught) == "ledger.connection_refused"
    assert "nobody" not in str(caught.value)


def test_a_missing_database_differs_from_an_unreachable_server():
    with ledgers.postgresql_url() as url, pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(url.replace("@/", "@/not_"))
    assert code_of(caught) == "ledger.no_database"
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(f"postgresql://nobody@127.0.0.1:{free_port()}/nothing")
    assert code_of(caught) == "ledger.connection_refused"


def test_a_full_disk_has_its_own_error(tmp_path):
    with Ledger.open(ledgers.sqlite_url(tmp_path)) as ledger:
        ledger.write(_fill, 1)
        with room_for(300_000), pytest.raises(LedgerUnavailable) as caught:
            ledger.write(_fill, 1_000_000)
        assert code_of(caught) == "ledger.disk_full"
        # Nothing of it was stored.
        ledger.write(_fill, 1)
        assert (
            ledger.read(lambda conn: conn.execute(sa.text("SELECT sum(length(text)) FROM filling")).scalar_one()) == 2
        )


@pytest.mark.parametrize("sound_part", [0.5, 0.9])
def test_a_file_that_a_disk_spoilt_under_a_run_has_its_own_error(tmp_path, sound_part):
    url = ledgers.sqlite_url(tmp_path)
    with Ledger.open(url) as ledger:
        ledger.write(scenes.furnish, 300)
    path = tmp_path / "ledger.db"
    content = bytearray(path.read_bytes())
    sound = int(len(content) * sound_part)
    content[sound:] = b"\xff" * (len(content) - sound)
    path.write_bytes(content)
    # this process has checked the file once, so that only reading finds it
    with pytest.raises(LedgerRefused) as caught, Ledger.open(url) as ledger:
        ledger.read(scenes.contents)
    assert code_of(caught) == "ledger.damaged"


@pytest.mark.parametrize("change", ["DROP TABLE alerts", "ALTER TABLE alerts RENAME COLUMN code TO word"])
def test_a_ledger_of_another_version_has_its_own_error(ledger, change):
    ledger.write(lambda conn: conn.execute(sa.text(change)))
    with pytest.raises(LedgerRefused) as caught:
        ledger.read(open_alerts)
    assert code_of(caught) == "ledger.other_tables"


def test_a_file_that_cannot_be_used_has_its_own_error(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for path in ("folder", "file/ledger.db"):
        with pytest.raises(LedgerUnavailable) as caught:
            Ledger.open(f"sqlite:///{tmp_path / path}")
        assert code_of(caught) == "ledger.no_access"


def _fill(conn, size):
    conn.execute(sa.text("CREATE TABLE IF NOT EXISTS filling (text TEXT)"))
    conn.execute(sa.text("INSERT INTO filling VALUES (:text)"), {"text": "x" * size})


def test_a_ledger_kept_locked_has_its_own_error(ledger_url):
    is_file = ledger_url.startswith("sqlite")
    lock = "SELECT 1" if is_file else "LOCK TABLE batches IN ACCESS EXCLUSIVE MODE"
    with Ledger.open(ledger_url) as first, Ledger.open(ledger_url, lock_wait_s=0.05) as second:

        def keep(conn):
            conn.execute(sa.text(lock))
            with pytest.raises(LedgerUnavailable) as caught:
                second.write(lambda conn: conn.execute(sa.text("UPDATE batches SET looks = 0")))
            assert code_of(caught) == "ledger.locked"

        first.write(keep)


def test_the_password_is_not_shown(tmp_path):
    with pytest.raises(LedgerUnavailable) as caught:
        Ledger.open(f"postgresql://somebody:hunter2@localhost/nothing?host={tmp_path}")
    assert "hunter2" not in repr(caught.value)


def test_processes_that_open_a_new_ledger_at_once_make_it_once(tmp_path):
    url = ledgers.sqlite_url(tmp_path)
    with PROCESSES.Pool(3) as pool:
        assert pool.map(version_after_opening, [url] * 9, chunksize=1) == [HEAD] * 9


def test_a_new_ledger_opens_once_after_its_creation(tmp_path):
    path = tmp_path / "ledger.db"
    maker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    maker.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.1, maker.execute, ["COMMIT"])
    done.start()
    try:
        assert version_after_opening(f"sqlite:///{path}") == HEAD
    finally:
        done.join()
        maker.close()


def test_a_new_ledger_kept_locked_has_its_own_error(tmp_path):
    path = tmp_path / "ledger.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as keeper:
        keeper.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable) as caught:
            Ledger.open(f"sqlite:///{path}", lock_wait_s=0.05)
        assert code_of(caught) == "ledger.locked"


def version_after_opening(url):
    with Ledger.open(url) as ledger:
        return ledger.read(lambda conn: conn.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())


def test_sqlite_writes_durably(tmp_path):
    with Ledger.open(ledgers.sqlite_url(tmp_path)) as ledger:
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")

        def settings(conn):
            return [conn.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in pragmas]

        assert ledger.write(settings) == ["wal", 2, 1, 30_000]


def test_a_foreign_key_is_kept(ledger):
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(files.begin_reading, 99, operator="o", options={})


def test_postgresql_ends_a_worker_frozen_in_a_transaction():
    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        limit = ledger.write(
            lambda conn: conn.execute(sa.text("SHOW idle_in_transaction_session_timeout")).scalar_one()
        )
    assert limit == "1min"


def test_a_process_opens_one_ledger_for_an_address(ledger_url):
    first = shared_ledger(ledger_url)
    assert shared_ledger(ledger_url) is first
    first.write(scenes.add_reading)
    close_ledgers()
    again = shared_ledger(ledger_url)
    assert again is not first
    assert len(again.read(scenes.known_files)) == 1


def test_a_file_put_in_place_of_the_ledgers_is_opened_again(tmp_path):
    url, path = ledgers.sqlite_url(tmp_path), tmp_path / "ledger.db"
    first = shared_ledger(url)
    first.write(scenes.add_reading)
    for each in tmp_path.glob("ledger.db*"):
        each.rename(tmp_path / f"old-{each.name}")
    second = shared_ledger(url)
    assert (second is first, path.exists()) == (False, True)
    assert second.read(scenes.known_files) == []


def test_a_forked_child_opens_its_own(ledger_url):
    first = shared_ledger(ledger_url)
    first.write(scenes.add_reading)
    child = os.fork()
    if not child:
        known = 0
        with contextlib.suppress(BaseException):
            own = shared_ledger(ledger_url)
            known = len(own.read(scenes.known_files)) if own is not first else 0
        os._exit(known)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert len(first.read(scenes.known_files)) == 1


def test_a_cancelled_write_has_ended_when_the_ledger_closes(ledger):
    def slow(conn):
        begun.set()
        released.wait()
        scenes.add_reading(conn)

    async def cancel():
        writing = asyncio.create_task(ledger.write_async(slow))
        await asyncio.to_thread(begun.wait)
        writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await writing

    begun, released = threading.Event(), threading.Event()
    asyncio.run(cancel())
    threading.Timer(0.05, released.set).start()
    ledger.finish()
    assert len(ledger.read(scenes.known_files)) == 1


def test_only_its_owner_may_read_the_file(tmp_path):
    before = os.umask(0)
    try:
        with Ledger.open(ledgers.sqlite_url(tmp_path / "new")) as ledger:
            ledger.write(scenes.add_reading)
            modes = {stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "new").iterdir()}
    finally:
        os.umask(before)
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
