"""The database itself refuses forbidden writes of product invoices: each rule is tried with plain SQL."""

import pytest
import sqlalchemy as sa

from connectors.ledger import approvals, leases
from connectors.ledger.issuance import posting
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes

ASKED = (
    "row_id, emitter_id, kind, issuer, is_staged, competence, content, digest, service_cents, liquid_cents, amounts, "
    "errors"
)
POST = "UPDATE invoices SET state = 'posting' WHERE number = 1"
REFUSED_OF_A_FIXED_BATCH = {
    "posted before it is approved": POST,
    "a name at the provider": "UPDATE batches SET name = 'x'",
    "an id at the provider": "UPDATE batches SET remote_id = 1",
    "another kind of batch": "UPDATE batches SET kind = 'service'",
    "another issuer of a batch": "UPDATE batches SET issuer = 'nfse'",
    "a batch that waits after all": "UPDATE batches SET is_staged = TRUE",
    "an emitter that stages after all": "UPDATE emitters SET is_staged = TRUE WHERE kind = 'nfe'",
    "another kind of emitter": "UPDATE emitters SET kind = 'nfce'",
    "a kind unheard of": "INSERT INTO emitters "
    "(remote_id, cnpj, name, city_code, is_active, looked_at, kind, issuer, is_staged) "
    "SELECT 9, '9', name, city_code, is_active, looked_at, 'nfs', 'nfs', is_staged FROM emitters",
    "an invoice of another kind than its emitter": f"""
        INSERT INTO invoices ({ASKED.replace("kind", "taker_id, kind")}, business_key, state)
        SELECT {ASKED.replace("kind", "1, 'service'")}, 'k', 'drafted' FROM invoices WHERE number = 1""",
    "an invoice born in its batch": f"""
        INSERT INTO invoices ({ASKED}, batch_id, business_key, state)
        SELECT {ASKED}, batch_id, 'k', 'drafted' FROM invoices WHERE number = 1""",
    "an invoice of a row that follows another": f"""
        INSERT INTO invoices ({ASKED}, business_key, state)
        SELECT {ASKED.replace("row_id", "row_id + 1")}, 'k', 'drafted' FROM invoices WHERE number = 1""",
    "a row that follows another after all": "UPDATE rows SET leader_id = 3 WHERE leader_id = 1",
    "a row that follows nobody after all": "UPDATE rows SET leader_id = NULL",
    "a row that follows itself": "UPDATE rows SET leader_id = id WHERE leader_id IS NULL",
    "a row with an invoice that follows another": "UPDATE rows SET leader_id = 1 WHERE id = 3",
}


def execute(conn, statement):
    return conn.execute(sa.text(statement)).rowcount


def assert_refused(ledger, statement):
    before = ledger.read(scenes.contents)
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(execute, statement)
    assert ledger.read(scenes.contents) == before


def test_a_fixed_batch_is_safe(ledger):
    """One batch for all of them: what is refused changes nothing."""
    ledger.write(scenes.add_parties)
    ledger.write(products.fixed)
    before = ledger.read(scenes.contents)
    taken = [what for what, statement in REFUSED_OF_A_FIXED_BATCH.items() if not is_refused(ledger, statement)]
    assert not taken
    assert ledger.read(scenes.contents) == before


def is_refused(ledger, statement):
    try:
        ledger.write(execute, statement)
    except sa.exc.IntegrityError:
        return True
    return False


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rows SET leader_id = 1 WHERE id = 3",  # A row of another reading.
        "UPDATE rows SET leader_id = 4 WHERE id = 3",  # A row without an invoice.
    ],
)
def test_a_row_follows_a_row_of_its_reading_with_an_invoice(ledger, statement):
    ledger.write(products.planned, 1)
    ledger.write(products.resolved, 1, sha256="d" * 64)
    ledger.write(execute, "UPDATE rows SET state = 'assembled' WHERE id >= 3")
    assert_refused(ledger, statement)


def test_a_row_that_is_not_assembled_follows_nobody(ledger):
    _, _, [first, second] = ledger.write(products.resolved, 1)
    assert_refused(ledger, f"UPDATE rows SET leader_id = {first} WHERE id = {second}")


def test_a_service_note_has_its_taker(ledger):
    ledger.write(scenes.furnish)
    assert_refused(
        ledger,
        f"INSERT INTO invoices ({ASKED}, business_key, state) SELECT {ASKED}, 'k', 'drafted' FROM invoices",
    )


def test_an_invoice_joins_no_batch_that_is_no_longer_planned(ledger):
    made, _ = ledger.write(products.fixed)
    draft = f"INSERT INTO invoices ({ASKED}, business_key, state) SELECT {ASKED}, 'k', 'drafted' FROM invoices"
    ledger.write(execute, f"{draft} WHERE number = 1")
    assert_refused(ledger, f"UPDATE invoices SET batch_id = {made.batch_id} WHERE batch_id IS NULL")


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE approvals SET void_at = 1, void_because = 'x'",
        "UPDATE batches SET revision = revision + 1",
        "UPDATE batches SET digest = 'other'",
        "UPDATE batches SET lease_owner = NULL, lease_until = NULL",
    ],
)
def test_only_the_batchs_owner_posts_approved_content(ledger, spoil):
    ledger.write(products.sending)
    ledger.write(execute, spoil)
    assert_refused(ledger, POST)


def test_an_approved_batch_is_posted_only_during_its_send(ledger):
    made, lease = ledger.write(products.fixed)
    ledger.write(products.approve, made)
    assert_refused(ledger, POST)
    ledger.write(approvals.begin_sending, lease)
    assert ledger.write(execute, POST) == 1


def test_nothing_waits_at_the_provider_where_posting_issues(ledger):
    made, lease = ledger.write(products.sending)
    ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60)
    assert_refused(ledger, "UPDATE invoices SET remote_id = id, state = 'created'")
    assert_refused(ledger, "UPDATE invoices SET remote_id = id, state = 'scheduled'")


@pytest.mark.parametrize("becomes", ["scheduled", "processing", "processed"])
def test_a_batch_is_not_sent_while_an_invoice_is_left_to_post(ledger, becomes):
    made, lease = ledger.write(products.sending)
    ledger.write(products.post, lease, "issued", "issued", "in_doubt", ids=made.invoice_ids)
    assert_refused(ledger, f"UPDATE batches SET state = '{becomes}'")
    ledger.write(execute, "UPDATE invoices SET state = 'unresolved' WHERE state = 'in_doubt'")
    assert ledger.write(execute, f"UPDATE batches SET state = '{becomes}'") == 1


def test_a_batch_is_not_fixed_with_an_invoice_that_is_issued(ledger):
    made, lease = ledger.write(products.sending)
    ledger.write(products.post, lease, "issued", ids=made.invoice_ids[:1])
    ledger.write(leases.give_back, lease)
    for state in ("disturbed", "open"):
        ledger.write(execute, f"UPDATE batches SET state = '{state}'")
    assert_refused(ledger, "UPDATE batches SET state = 'staged'")
