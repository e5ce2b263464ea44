"""The migrations create exactly the tables that the code describes, on both databases."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import config, script
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from connectors.ledger import migrations, tables
from connectors.ledger.engine import HEAD, Ledger
from connectors.ledger.mirror import tables as mirror
from tests import ledgers

FOLDER = Path(migrations.__file__).parent
# A separate module describes the tables of the mirror.
assert mirror.metadata is tables.metadata


def test_the_engine_knows_the_newest_migration():
    settings = config.Config()
    settings.set_main_option("script_location", str(FOLDER))
    settings.set_main_option("path_separator", "os")
    assert script.ScriptDirectory.from_config(settings).get_current_head() == HEAD


def test_the_tables_made_are_the_tables_described(ledger):
    def differences(conn):
        context = MigrationContext.configure(conn, opts={"compare_type": True, "compare_server_default": False})
        return compare_metadata(context, tables.metadata)

    assert ledger.read(differences) == []


def test_the_constraints_made_are_the_constraints_described(ledger):
    def constraints(conn):
        inspector = sa.inspect(conn)
        return {
            (table, kind, each["name"])
            for table in tables.metadata.tables
            for kind, found in (
                ("ck", inspector.get_check_constraints(table)),
                ("uq", inspector.get_unique_constraints(table)),
                ("fk", inspector.get_foreign_keys(table)),
            )
            for each in found
        }

    kinds = {sa.CheckConstraint: "ck", sa.UniqueConstraint: "uq", sa.ForeignKeyConstraint: "fk"}
    described = {
        (table.name, kinds[type(each)], str(each.name))
        for table in tables.metadata.tables.values()
        for each in table.constraints
        if type(each) in kinds
    }
    assert {(table, kind, name.split("_", 1)[0]) for table, kind, name in ledger.read(constraints)} == {
        (table, kind, kind) for table, kind, _ in described
    }
    assert {name for *_, name in ledger.read(constraints)} == {
        name if name.startswith(("ck_", "uq_", "fk_")) else f"ck_{table}_{name}" for table, _, name in described
    }


@pytest.mark.parametrize("table", ["attempts", "invoices", "numbers", "rows"])
def test_a_table_whose_rows_change_is_vacuumed_often(table):
    query = sa.text("SELECT reloptions FROM pg_class WHERE oid = CAST(:name AS regclass)")
    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        options = ledger.read(lambda conn: conn.execute(query, {"name": table}).scalar_one())
    assert "autovacuum_vacuum_scale_factor=0.005" in options
