"""What one test leaves in PostgreSQL, no later test finds."""

import psycopg
import pytest

from connectors.ledger import files
from connectors.ledger.engine import Ledger
from tests.emptied_databases import EmptiedDatabase


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
