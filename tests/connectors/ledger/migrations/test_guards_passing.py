"""PostgreSQL's guards skip exactly the rows that they would have allowed."""

import re
from itertools import product

import pytest
import sqlalchemy as sa

from connectors.ledger import transitions
from connectors.ledger.engine import Ledger
from connectors.ledger.issuance import posting
from domain.states import BatchState, InvoiceState, RowState
from tests import ledgers
from tests.connectors.ledger import scene as scenes

MANY_AT_ONCE = {
    "one of them too far": "UPDATE invoices SET state = CASE WHEN id = 4 THEN 'scheduled' ELSE 'posting' END",
    "one of them unheard of": "UPDATE invoices SET state = CASE WHEN id = 1 THEN 'created_' ELSE 'posting' END",
    "a row back": "UPDATE rows SET state = CASE WHEN id = 1 THEN 'resolved' ELSE state END",
}


@pytest.mark.parametrize("entity", [RowState, BatchState, InvoiceState])
def test_every_pair_of_states_follows_the_table_of_moves(entity):
    name = {RowState: "rows", BatchState: "batches", InvoiceState: "invoices"}[entity]
    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        ledger.write(_copy_guard, name)
        passed = {pair for pair in product(entity, (*entity, "x")) if ledger.write(_passes, *pair)}
        legal = ledger.read(_legal, name)
    assert passed == legal | {(state, state) for state in entity}


def _copy_guard(conn, table):
    """Copy the current guard of moves to a separate table of states."""
    query = sa.text("SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = :name")
    made = conn.execute(query, {"name": f"{table}_move"}).scalar_one()
    conn.execute(sa.text("CREATE TABLE only_states (state text NOT NULL)"))
    conn.exec_driver_sql(re.sub(rf" ON \S*{table} ", " ON only_states ", made))


def _passes(conn, was, becomes):
    conn.execute(sa.text("INSERT INTO only_states VALUES (:was)"), {"was": str(was)})
    try:
        with conn.begin_nested():
            conn.execute(sa.text("UPDATE only_states SET state = :becomes"), {"becomes": str(becomes)})
    except sa.exc.IntegrityError:
        return False
    finally:
        conn.execute(sa.text("DELETE FROM only_states"))
    return True


def _legal(conn, table):
    entity = {"rows": "row", "batches": "batch", "invoices": "invoice"}[table]
    query = sa.text("SELECT was, becomes FROM legal_moves WHERE entity = :entity AND was <> ''")
    return {tuple(row) for row in conn.execute(query, {"entity": entity})}


@pytest.mark.parametrize("what", MANY_AT_ONCE)
def test_a_guard_checks_every_row_of_a_statement(ledger, what):
    ledger.write(scenes.opened)
    refused(ledger, MANY_AT_ONCE[what])


def test_a_move_within_another_statement_is_refused_too():
    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        ledger.write(scenes.opened)
        moved = "UPDATE invoices SET state = 'created', remote_id = id RETURNING id"
        refused(ledger, f"WITH moved AS ({moved}) SELECT * FROM moved")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE numbers SET retired_at = NULL, retired_because = NULL WHERE number = 1",
        "UPDATE numbers SET retired_because = 'y' WHERE number = 1",
        "UPDATE numbers SET retired_at = 1, retired_because = 'y' WHERE number = 2",
    ],
)
def test_a_number_is_retired_once_and_for_a_dead_invoice(ledger, statement):
    scene = ledger.write(scenes.furnish)
    retire = {"was": InvoiceState.RESERVED, "becomes": InvoiceState.RETIRED, "because": "x"}
    ledger.write(transitions.move, scene.invoice_ids[:1], **retire)
    refused(ledger, statement)


def test_a_note_changes_three_times_until_it_is_staged():
    count = ", ".join(f"pg_stat_get_xact_tuples_updated('{name}'::regclass)" for name in ("invoices", "numbers"))

    def updates(conn):
        return tuple(conn.execute(sa.text(f"SELECT {count}")).one())

    def planned(conn):
        return *scenes.opened(conn, 150), updates(conn)

    def posted(conn, lease, ids):
        # the server may not have counted the transaction before yet
        before = updates(conn)
        begun = posting.begin_posting(conn, lease, ids, seconds=60)
        posting.end_posting(conn, begun.lease, [scenes.answer(*pair) for pair in begun.attempts.items()])
        return tuple(now - then for now, then in zip(updates(conn), before, strict=True))

    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        scene, lease, changed = ledger.write(planned)
        assert changed == (150, 0), "batch, number and state at once"
        assert ledger.write(posted, lease, scene.invoice_ids) == (300, 0)


def refused(ledger, statement):
    before = ledger.read(scenes.contents)
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(lambda conn: conn.execute(sa.text(statement)))
    assert ledger.read(scenes.contents) == before
