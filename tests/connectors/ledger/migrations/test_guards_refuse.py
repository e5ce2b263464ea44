"""The database itself refuses forbidden writes: each rule is tried with plain SQL, past all of our own code."""

from itertools import product

import pytest
import sqlalchemy as sa

from connectors.ledger import approvals, batches, files, leases, parties, rows
from connectors.ledger.issuance import posting
from connectors.ledger.migrations.guards import KEPT
from connectors.ledger.mirror.tables import metadata
from domain.states import BatchState, Entity, InvoiceState, RowState, can_move, can_observe, entity_of
from tests.connectors.ledger import scene as scenes

ASKED = (
    "row_id, emitter_id, taker_id, kind, issuer, is_staged, competence, content, digest, service_cents, liquid_cents, "
    "amounts, errors"
)
REFUSED_OF_A_STAGED_BATCH = {
    "illegal move of a row": "UPDATE rows SET state = 'read'",
    "illegal move of a batch": "UPDATE batches SET state = 'processed'",
    "illegal move of an invoice": "UPDATE invoices SET state = 'accepted_'",
    "invoice back to life": "UPDATE invoices SET is_living = true, state = 'reserved'",
    "state of another entity": "UPDATE invoices SET state = 'staged'",
    "reading finished at another time": "UPDATE readings SET finished_at = finished_at + 1",
    "reading unfinished after all": "UPDATE readings SET finished_at = NULL",
    "row born in the middle": """
        INSERT INTO rows (file_id, reading_id, sheet, row_number, state, cells, problems)
        SELECT file_id, reading_id, 'T', row_number, 'assembled', cells, problems FROM rows""",
    "batch born in the middle": """
        INSERT INTO batches (
            reading_id, emitter_id, kind, issuer, is_staged, competence, ordinal, state, count, total_cents, due_at)
        SELECT reading_id, emitter_id, kind, issuer, is_staged, competence, 9, 'opening', 0, 0, 0 FROM batches""",
    "invoice born dead": f"""
        INSERT INTO invoices ({ASKED}, business_key, is_living, state)
        SELECT {ASKED}, 'another key', false, 'retired' FROM invoices WHERE id = 1""",
    "approved by nobody": "UPDATE batches SET state = 'approved'",
    "fence back": "UPDATE batches SET fence = fence - 1",
    "revision back": "UPDATE batches SET revision = revision - 1",
    "another batch at the provider": "UPDATE batches SET remote_id = 501",
    "no batch at the provider": "UPDATE batches SET remote_id = NULL",
    "half a lease": "UPDATE batches SET lease_owner = NULL",
    "living by name": "UPDATE invoices SET is_living = false",
    "other content": "UPDATE invoices SET content = '{}'",
    "other digest": "UPDATE invoices SET digest = 'x'",
    "other amount": "UPDATE invoices SET service_cents = 1",
    "other taker": "UPDATE invoices SET taker_id = 1",
    "other key": "UPDATE invoices SET business_key = 'x' WHERE id = 1",
    "other number": "UPDATE invoices SET number = number + 100",
    "no number": "UPDATE invoices SET serie = NULL, number = NULL",
    "other batch": "UPDATE invoices SET batch_id = NULL",
    "other id": "UPDATE invoices SET remote_id = 1 WHERE id = 1",
    "number for another": "UPDATE numbers SET invoice_id = 2 WHERE number = 1",
    "number with another digest": "UPDATE numbers SET digest = 'x'",
    "number renumbered": "UPDATE numbers SET number = number + 100",
    "number of a living invoice retired": "UPDATE numbers SET retired_at = 1, retired_because = 'x'",
    "number retired without a reason": "UPDATE numbers SET retired_at = 1",
    "number taken twice": """
        INSERT INTO numbers (emitter_id, serie, number, invoice_id, digest)
        SELECT emitter_id, serie, number, invoice_id, digest FROM numbers""",
    "number nobody bears": """
        INSERT INTO numbers (emitter_id, serie, number, invoice_id, digest)
        SELECT emitter_id, serie, number + 100, invoice_id, digest FROM numbers""",
    "number given out again": "UPDATE series SET next_number = 1",
    "posted less after all": "UPDATE series SET highest_posted = 0",
    "event rewritten": "UPDATE events SET because = 'x'",
    "event deleted": "DELETE FROM events",
    "invoice deleted": "DELETE FROM invoices",
    "number deleted": "DELETE FROM numbers",
    "attempt deleted": "DELETE FROM attempts",
    "attempt told otherwise": "UPDATE attempts SET outcome = 'refused'",
    "outcome unheard of": "UPDATE attempts SET outcome = 'perhaps'",
}


def test_a_staged_batch_is_safe(ledger):
    """One batch for all of them: what is refused changes nothing."""
    ledger.write(scenes.staged)
    before = ledger.read(scenes.contents)
    taken = [what for what, statement in REFUSED_OF_A_STAGED_BATCH.items() if not is_refused(ledger, statement)]
    assert not taken
    assert ledger.read(scenes.contents) == before


def is_refused(ledger, statement):
    try:
        ledger.write(lambda conn: conn.execute(sa.text(statement)))
    except sa.exc.IntegrityError:
        return True
    return False


def assert_refused(ledger, statement):
    before = ledger.read(scenes.contents)
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(lambda conn: conn.execute(sa.text(statement)))
    assert ledger.read(scenes.contents) == before


def test_no_row_moves_before_its_reading_is_finished(ledger):
    reading = ledger.write(scenes.add_reading)
    ledger.write(scenes.add_rows, reading, [rows.NewRow(sheet="S", row_number=2, cells={}, line={})])
    for state in (RowState.RESOLVED, RowState.REFUSED):
        assert_refused(ledger, f"UPDATE rows SET state = '{state}'")
    ledger.write(files.end_reading, reading, {})
    ledger.write(lambda conn: conn.execute(sa.text("UPDATE rows SET state = 'resolved'")))


def test_a_second_living_invoice_of_one_key_is_refused(ledger):
    ledger.write(scenes.furnish)
    columns = f"{ASKED}, business_key"
    again = f"INSERT INTO invoices ({columns}, state) SELECT {columns}, 'drafted' FROM invoices WHERE id = 1"
    assert_refused(ledger, again)
    ledger.write(
        lambda conn: conn.execute(sa.text("UPDATE invoices SET state = 'retired', is_living = false WHERE id = 1"))
    )
    assert ledger.write(lambda conn: conn.execute(sa.text(again)).rowcount) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM invoices WHERE number IS NULL",
        """INSERT INTO numbers (emitter_id, serie, number, invoice_id, digest)
        SELECT emitter_id, 'F', 100, id, digest FROM invoices WHERE number IS NULL""",
    ],
)
def test_a_draft_is_neither_deleted_nor_numbered_directly(ledger, statement):
    ledger.write(scenes.furnish)
    draft = f"INSERT INTO invoices ({ASKED}, business_key, state) SELECT {ASKED}, 'k', 'drafted' FROM invoices"
    ledger.write(lambda conn: conn.execute(sa.text(f"{draft} WHERE id = 1")))
    assert_refused(ledger, statement)


def test_a_ledger_does_not_change_its_account(ledger):
    ledger.write(parties.bind_account, uuid="u-1", name="Marés")
    assert_refused(ledger, "UPDATE account SET uuid = 'u-2'")


def test_no_table_that_money_hangs_on_can_be_emptied():
    mirrored = {name for name in metadata.tables if name.startswith("mirror_")}
    counted = {"alerts", "answers", "deliveries", "hints", "latencies", "rate_limits", "request_slots"}
    # A revoked person's names go at the end of the term.
    personal = {"secrets", "staff_names", "staff_secrets"}
    # each file of a month gives the states of its blocks anew
    computed = {"legal_moves", "carried_states"}
    assert set(KEPT) == set(metadata.tables) - {*computed, *personal, *counted, *mirrored}


def test_no_post_without_a_lease_or_under_a_retired_number(ledger):
    scene, lease = ledger.write(scenes.opened)
    post = "UPDATE invoices SET state = 'posting' WHERE id = 1"
    ledger.write(leases.give_back, lease)
    assert_refused(ledger, post)
    ledger.write(scenes.claimed, scene.batch_id)
    ledger.write(lambda conn: conn.execute(sa.text(post)))


def test_nothing_is_posted_into_a_batch_that_is_not_open(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(scenes.claimed, scene.batch_id)
    assert_refused(ledger, "UPDATE invoices SET state = 'posting'")


def test_nothing_is_staged_while_a_note_is_in_doubt(ledger):
    scene, lease = ledger.write(scenes.opened)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    *most, last = begun.attempts.items()
    outcomes = [scenes.answer(*pair) for pair in most] + [scenes.answer(*last, outcome="in_doubt")]
    ledger.write(posting.end_posting, lease, outcomes)
    assert_refused(ledger, "UPDATE batches SET digest = 'd', state = 'staged'")


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE batches SET revision = revision + 1",
        "UPDATE batches SET digest = 'other'",
        "UPDATE approvals SET void_at = 1, void_because = 'x'",
    ],
)
def test_nothing_is_sent_that_was_not_approved_as_it_stands(ledger, spoil):
    ledger.write(approved)
    ledger.write(lambda conn: conn.execute(sa.text(spoil)))
    assert_refused(ledger, "UPDATE batches SET state = 'sending'")


def approved(conn):
    scene, lease = scenes.staged(conn)
    batch = batches.batch_of(conn, scene.batch_id)
    approvals.approve(
        conn, batch.id, revision=1, digest="d", count=batch.count, total_cents=batch.total_cents, approver="ana"
    )
    return scene, lease


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE approvals SET digest = 'other'",
        "UPDATE approvals SET approver = 'bea'",
        "UPDATE approvals SET total_cents = 1",
        "DELETE FROM approvals",
        """INSERT INTO approvals (batch_id, revision, digest, count, total_cents, approver, approved_at)
        SELECT batch_id, revision, digest, count, total_cents, 'bea', 1 FROM approvals""",
    ],
)
def test_an_approval_stands_as_it_was_given(ledger, statement):
    ledger.write(approved)
    assert_refused(ledger, statement)


def test_a_void_approval_stays_void(ledger):
    scene, _ = ledger.write(approved)
    ledger.write(approvals.void_approval, scene.batch_id, because="x")
    assert_refused(ledger, "UPDATE approvals SET void_at = NULL, void_because = NULL")


@pytest.mark.parametrize("entity", Entity)
def test_the_database_knows_the_moves_that_the_rules_know(ledger, entity):
    states = [state for state in (*RowState, *BatchState, *InvoiceState) if entity_of(state) is entity]
    legal = {pair for pair in product(states, states) if can_move(*pair) or can_observe(*pair)}
    query = sa.text("SELECT was, becomes FROM legal_moves WHERE entity = :entity AND was <> ''")
    known = ledger.read(lambda conn: {tuple(row) for row in conn.execute(query, {"entity": str(entity)})})
    assert known == {(str(was), str(becomes)) for was, becomes in legal}


def test_things_are_born_in_their_first_states_alone(ledger):
    query = sa.text("SELECT entity, becomes FROM legal_moves WHERE was = ''")
    births = ledger.read(lambda conn: {tuple(row) for row in conn.execute(query)})
    assert births == {("row", "read"), ("row", "refused"), ("batch", "planned"), ("invoice", "drafted")}
