"""Somebody locks the ledger for longer than any wait: the run ends in words, and the next one continues."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from tests.faults.theatre import Theatre
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.faults.worker import LET_DOWN


def test_a_ledger_locked_in_the_middle_of_the_notes(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(theatre.more, "LEDGER__LOCK_WAIT_S", "0.3")
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(60, emitters=[RIO])))
    theatre.sandbox.switch(fixed_latency_ms=30)
    process = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("notes.create") >= 5, process)

    with _locked(theatre.ledger_url):
        assert theatre.finish(process) == LET_DOWN, theatre.said()
        posted = theatre.seen("notes.create")

    assert "Traceback" not in theatre.said()
    assert "livro de registros bloqueado" in theatre.said()
    assert posted < 60
    theatre.check_integrity()
    theatre.run(month)
    theatre.check()


@contextmanager
def _locked(url: str) -> Iterator[None]:
    """Lock by another transaction: on SQLite the whole file for writers, else every batch for everybody."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
    else:
        with psycopg.connect(url) as connection:
            connection.execute("LOCK TABLE batches IN ACCESS EXCLUSIVE MODE")
            yield
