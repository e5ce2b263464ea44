"""A program locks the ledger for longer than any wait: the run ends in words, and the next one continues."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from tests.faults.theatre import LATE_S, Theatre, rule
from tests.faults.workbooks import RIO, month_lines, write_month
from tests.faults.worker import FAILED


def test_a_ledger_locked_while_posting_loses_nothing(theatre: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(theatre.more, "LEDGER__LOCK_WAIT_S", "0.3")
    month = theatre.drop(write_month(theatre.home / "month.xlsx", month_lines(60, emitters=[RIO])))
    # Late answers from then on: the worker is in the middle of them however late the lock comes.
    theatre.sandbox.faults(rule("notes.create", "late", after=4, seconds=LATE_S, count=60))
    process = theatre.start(month)
    assert theatre.until(lambda: theatre.seen("notes.create") >= 5, process)

    with _locked(theatre.ledger_url):
        assert theatre.finish(process) == FAILED, theatre.logs()
        posted = theatre.seen("notes.create")

    assert "Traceback" not in theatre.logs()
    assert "livro de registros bloqueado" in theatre.logs()
    assert posted < 60
    theatre.sandbox.faults()
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
