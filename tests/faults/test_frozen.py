"""Two workers on one batch: one is frozen past its lease, the other takes over, the first is thawed."""

import os
import signal
import sqlite3
import time
from multiprocessing.process import BaseProcess

import psycopg
import pytest

from tests.faults.theatre import Theatre, notes_of
from tests.faults.workbooks import RIO, month_lines, write_month

_NOTES = 12
_MOMENT_S = 0.01


@pytest.mark.parametrize("is_met", [True, False], ids=["thawed while the other posts", "thawed when all is done"])
def test_one_worker_frozen_past_its_lease_and_thawed(theatre: Theatre, is_met: bool) -> None:
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(_NOTES, emitters=[RIO])))
    frozen = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("batches.create") >= 1, frozen)
    # slow answers: the first worker is frozen with requests on the wire, the second is met while it posts
    theatre.sandbox.switch(fixed_latency_ms=100)
    assert theatre.until(lambda: theatre.seen("notes.create") >= 2, frozen)
    _freeze(theatre, frozen)
    posted = theatre.seen("notes.create")
    assert posted < _NOTES, "it was frozen too late"

    other = theatre.start()
    assert theatre.until(lambda: theatre.seen("notes.create") > posted, other)
    if not is_met:
        assert theatre.finish(other) == 0, theatre.said()
    _signal(frozen, signal.SIGCONT)
    assert theatre.finish(frozen) == 0, theatre.said()
    assert theatre.finish(other) == 0, theatre.said()

    evidence = theatre.check()
    assert len(notes_of(evidence)) == _NOTES
    assert len({attempt["fence"] for attempt in evidence.ledger["attempts"] if attempt["what"] == "post"}) > 1


def test_two_workers_at_once(theatre: Theatre) -> None:
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(48)))

    workers = [theatre.start(month) for _ in range(2)]

    assert [theatre.finish(process) for process in workers] == [0, 0], theatre.said()
    theatre.check()


def _freeze(theatre: Theatre, process: BaseProcess) -> None:
    """Stop it, but outside of any transaction: one frozen inside keeps the database's lock, lease or no lease."""
    while True:
        _signal(process, signal.SIGSTOP)
        time.sleep(_MOMENT_S)
        if not _is_in_transaction(theatre.ledger_url):
            return
        _signal(process, signal.SIGCONT)
        time.sleep(_MOMENT_S / 5)


def _is_in_transaction(ledger_url: str) -> bool:
    if ledger_url.startswith("sqlite"):
        connection = sqlite3.connect(ledger_url.removeprefix("sqlite:///"), timeout=0, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        finally:
            connection.close()
        return False
    with psycopg.connect(ledger_url) as conn:
        others = "datname = current_database() AND pid != pg_backend_pid() AND state != 'idle'"
        return conn.execute(f"SELECT 1 FROM pg_stat_activity WHERE {others}").fetchone() is not None


def _signal(process: BaseProcess, number: signal.Signals) -> None:
    assert process.pid is not None
    os.kill(process.pid, number)
