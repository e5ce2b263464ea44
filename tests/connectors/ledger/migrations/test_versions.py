"""The migrations make exactly what the code believes in, on both databases."""

import re
from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import config, script
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations

from connectors.ledger import batches, migrations, tables, withdrawals
from connectors.ledger.engine import HEAD
from connectors.ledger.mirror import tables as mirror
from domain.states import LIVING, BatchState, InvoiceState
from tests.connectors.ledger import scene as scenes

FOLDER = Path(migrations.__file__).parent
# The tables of the mirror stand in a module of their own and are described with the others.
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


def test_both_databases_have_the_same_triggers():
    names = [
        set(re.findall(r"CREATE TRIGGER (\w+)", (FOLDER / "versions" / f"0001_{each}.sql").read_text()))
        for each in ("sqlite", "postgresql")
    ]
    assert names[0] == names[1]
    assert len(names[0]) > 30


def test_what_the_indexes_call_living_is_what_the_rules_call_living():
    for dialect in ("sqlite", "postgresql"):
        text = (FOLDER / "versions" / f"0001_{dialect}.sql").read_text()
        lists = re.findall(r"WHERE state (NOT )?IN \(([^)]*)\)", text)
        assert {frozenset(re.findall(r"'(\w+)'", states)) for _, states in lists} == {
            frozenset(str(state) for state in LIVING)
        }
        retired = re.search(r"id = NEW.invoice_id AND state IN \(([^)]*)\)", text)
        assert retired is not None
        assert {InvoiceState(state) for state in re.findall(r"'(\w+)'", retired[1])} == LIVING


def _undo_0003(conn):
    conn.execute(sa.text("DELETE FROM legal_moves WHERE was = 'discarding' AND becomes = 'disturbed'"))
    for column in ("seen_in", "echoed_in", "settlement", "settled_by", "settled_because", "settled_at"):
        conn.execute(sa.text(f"ALTER TABLE mirror_clashes DROP COLUMN {column}"))


def _run_0003(conn):
    with Operations.context(MigrationContext.configure(conn)):
        import_module("connectors.ledger.migrations.versions.0003_ways_out").upgrade()


def test_a_ledger_in_use_learns_that_a_batch_may_be_disturbed_while_it_is_taken_back(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(withdrawals.give_up, lease, because="x")
    ledger.write(_undo_0003)
    told = "(plan_slug, kind, number, digest, ours, theirs, seen_at) VALUES ('p', 'orders', 1, 'd', '{}', '{}', 1)"
    ledger.write(lambda conn: conn.execute(sa.text(f"INSERT INTO mirror_clashes {told}")))
    with pytest.raises(sa.exc.DatabaseError):
        ledger.write(batches.disturb, scene.batch_id, code="batch.unresolved", params={}, lease=lease)
    ledger.write(_run_0003)
    assert ledger.write(batches.disturb, scene.batch_id, code="batch.unresolved", params={}, lease=lease)
    assert ledger.read(batches.batch_of, scene.batch_id).state is BatchState.DISTURBED
    (kept,) = ledger.read(lambda conn: conn.execute(sa.select(mirror.clashes)).all())
    assert (kept.plan_slug, kept.number, kept.settled_at) == ("p", 1, None)
