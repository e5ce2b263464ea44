"""The ledger's guards are exactly those that the migrations create; a missing guard stops everything."""

import contextlib
import sqlite3

import pytest
import sqlalchemy as sa

from connectors.ledger.engine import Ledger, LedgerRefused, check_integrity
from connectors.ledger.migrations.triggers import disable_guards, guards_of, missing_guards
from tests import ledgers
from tests.connectors.ledger import scene as scenes


def test_the_guards_made_are_the_guards_described(ledger):
    assert not ledger.read(missing_guards)


def test_a_ledger_without_one_of_them_is_not_opened(ledger_url):
    with Ledger.open(ledger_url) as ledger:
        on_table = "" if ledger.dialect == "sqlite" else " ON events"
        ledger.write(lambda conn: conn.execute(sa.text(f"DROP TRIGGER events_written{on_table}")))
    with pytest.raises(LedgerRefused) as caught:
        Ledger.open(spelled_otherwise(ledger_url))
    assert caught.value.problem.code == "ledger.unguarded"
    assert caught.value.problem.params == {"names": "events_written"}


def test_one_that_sleeps_is_missing():
    with ledgers.postgresql_url() as url:
        with Ledger.open(url) as ledger:
            ledger.write(lambda conn: conn.execute(sa.text("ALTER TABLE events DISABLE TRIGGER events_written")))
        with pytest.raises(LedgerRefused):
            Ledger.open(spelled_otherwise(url))


def test_a_damaged_file_is_not_opened(tmp_path):
    url = ledgers.sqlite_url(tmp_path)
    with Ledger.open(url) as ledger:
        ledger.write(scenes.furnish, 200)
    path = tmp_path / "ledger.db"
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'invoices'").fetchone()[0]
        size = conn.execute("PRAGMA page_size").fetchone()[0]
    raw = bytearray(path.read_bytes())
    raw[(page - 1) * size : (page - 1) * size + 100] = b"\xff" * 100
    path.write_bytes(raw)
    with pytest.raises(LedgerRefused) as caught:
        Ledger.open(spelled_otherwise(url))
    assert caught.value.problem.code == "ledger.damaged"


def test_a_large_file_is_left_to_whoever_verifies_it(ledger):
    ledger.write(scenes.furnish)
    ledger.read(check_integrity, most_bytes=1)
    ledger.read(check_integrity)


def test_lifted_for_a_moment_they_all_come_back(ledger):
    scene = ledger.write(scenes.furnish)

    def change(conn):
        with disable_guards(conn):
            conn.execute(sa.text("UPDATE events SET because = 'x'"))
            assert not guards_of(conn)

    ledger.write(change)
    assert not ledger.read(missing_guards)
    with pytest.raises(sa.exc.DBAPIError):
        ledger.write(lambda conn: conn.execute(sa.text("UPDATE events SET because = 'y'")))
    assert scene.batch_id


def spelled_otherwise(url):
    """Return another spelling of the ledger's address, because an address is checked once in a process."""
    return f"{url}?cached_statements=100" if url.startswith("sqlite") else f"{url}&application_name=again"
