"""Stop a worker in the middle of its work, and let it continue."""

import os
import signal
import sqlite3
import time
from multiprocessing.process import BaseProcess
from typing import Final

import psycopg

from tests.faults.theatre import Theatre

_MOMENT_S: Final = 0.01


def freeze(theatre: Theatre, process: BaseProcess) -> None:
    """Stop the process outside of any transaction: inside, it would keep the database's lock after its lease ends."""
    while True:
        _signal(process, signal.SIGSTOP)
        time.sleep(_MOMENT_S)
        if not _is_in_transaction(theatre.ledger_url):
            return
        _signal(process, signal.SIGCONT)
        time.sleep(_MOMENT_S / 5)


def thaw(process: BaseProcess) -> None:
    _signal(process, signal.SIGCONT)


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
