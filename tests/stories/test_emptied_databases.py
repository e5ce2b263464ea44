"""What one test leaves in PostgreSQL, no later test finds."""

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from connectors.ledger import files
from connectors.ledger.engine import Ledger
from tests.emptied_databases import EmptiedDatabase
from tests.ledgers import postgresql_url


@pytest.fixture
def database(emptied_database):
    """Yield this worker's database, without what other tests left."""
    emptied_database.close()
    return emptied_database


def name_of(url):
    with psycopg.connect(url) as conn:
        return conn.info.dbname


def received(url):
    with Ledger.open(url) as ledger:
        return ledger.write(files.receive, sha256="1" * 64, name="a.xlsx", size_bytes=3, kind="services").id


def use(database: EmptiedDatabase, *statements: str) -> str:
    """Let a test run these statements past the guards. Return the database's name."""
    with database.lent() as url, psycopg.connect(url) as conn:
        for statement in statements:
            conn.execute(statement)
        return conn.info.dbname


def test_rows_and_numbers_begin_anew_in_the_same_database(database):
    with database.lent() as url:
        first, name = received(url), name_of(url)
    with database.lent() as url:
        assert (received(url), name_of(url)) == (first, name)


def test_no_two_tests_have_one_address(database):
    with database.lent() as first:
        pass
    with database.lent() as second:
        assert first != second


def test_an_open_transaction_is_ended(database):
    with database.lent() as url:
        left = psycopg.connect(url)
        left.execute("UPDATE alembic_version SET version_num = version_num")
    with database.lent() as url:
        received(url)
    with pytest.raises(psycopg.OperationalError), left:
        left.execute("SELECT 1")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE another (id int)",
        "DROP TRIGGER events_kept ON events",
        "ALTER TABLE batches DISABLE TRIGGER USER",
        "ALTER TABLE batches ADD COLUMN another int",
        "CREATE FUNCTION another() RETURNS int LANGUAGE sql RETURN 1",
        "UPDATE alembic_version SET version_num = '0000'",
        "ANALYZE legal_moves",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$",
    ],
)
def test_a_database_with_other_changes_is_replaced(database, statement):
    before = use(database)
    assert use(database, statement) == before
    assert use(database) != before


def test_settings_of_another_database_change_nothing(database):
    before = use(database)
    with postgresql_url() as other, psycopg.connect(other, autocommit=True) as conn:
        conn.execute(sql.SQL("ALTER DATABASE {} SET jit = on").format(sql.Identifier(conn.info.dbname)))
        assert [use(database), use(database)] == [before, before]


def session_of(url: str, *statements: str) -> tuple[int, str]:
    """Run these statements in a writing session. Return its process id at the server, and its limit of lock waits."""

    def run(conn: sa.Connection) -> tuple[int, str]:
        found = conn.exec_driver_sql("SELECT pg_backend_pid(), current_setting('lock_timeout')").one()
        for statement in statements:
            conn.exec_driver_sql(statement)
        return found[0], found[1]

    with Ledger.open(url) as ledger:
        return ledger.write(run)


def test_a_session_is_used_again_with_its_first_settings(database):
    with database.lent() as url:
        first = session_of(url, "SET lock_timeout = 1", "SELECT pg_advisory_lock(7)")
    with database.lent() as url:
        assert session_of(url) == first
        with psycopg.connect(url) as conn:
            locks = conn.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'").fetchall()
    assert locks == []


def test_an_ended_session_is_replaced(database):
    with database.lent() as url:
        first, _ = session_of(url)
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("SELECT pg_terminate_backend(%s, 10000)", [first])
        second, _ = session_of(url)
    assert second != first
