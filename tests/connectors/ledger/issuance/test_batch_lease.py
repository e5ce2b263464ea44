"""A lease on a batch begins and ends in one transaction each; only its owner sets when the batch is due again."""

import pytest
import sqlalchemy as sa

from connectors.ledger import attempts, batches, leases
from connectors.ledger.issuance import batch_lease
from connectors.ledger.tables import batches as table
from domain.states import BatchState
from tests import ageing
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.backup.test_quarantine import wait


def take(ledger, batch_id, owner="worker", seconds=60):
    return ledger.write(batch_lease.take, batch_id, owner=owner, seconds=seconds, states={BatchState.PLANNED})


def test_a_claimed_batch_is_read_under_the_lease(ledger):
    scene = ledger.write(scenes.furnish)
    lease, batch = take(ledger, scene.batch_id)
    assert batch == ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.fence, batch.lease_owner) == (lease.fence, "worker")
    assert take(ledger, scene.batch_id, "another") is None


def test_renewing_a_lease_returns_the_present_batch(ledger):
    scene = ledger.write(scenes.furnish)
    lease, _ = take(ledger, scene.batch_id)
    ledger.write(batches.name_opening, lease, "a name")
    longer, batch = ledger.write(batch_lease.renew, lease, seconds=600)
    assert longer.until > lease.until
    assert (batch.name, batch.state, batch.fence) == ("a name", BatchState.OPENING, lease.fence)


def test_the_batchs_name_and_creation_line_are_written_together(ledger):
    scene = ledger.write(scenes.furnish)
    lease, _ = take(ledger, scene.batch_id)
    named, attempt = ledger.write(batch_lease.begin_opening, lease, "a name")
    assert (named.state, named.name) == (BatchState.OPENING, "a name")
    (line,) = ledger.read(attempts.unanswered_attempts, scene.batch_id, "open")
    assert (line.id, line.fence) == (attempt, lease.fence)
    ledger.write(leases.evict, scene.batch_id)
    with pytest.raises(leases.FenceLost):
        ledger.write(batch_lease.begin_opening, lease, "another")
    assert len(ledger.read(attempts.unanswered_attempts, scene.batch_id, "open")) == 1


def test_the_answer_to_a_creation_is_stored_for_any_owner(ledger):
    scene = ledger.write(scenes.furnish)
    lease, _ = take(ledger, scene.batch_id)
    _, attempt = ledger.write(batch_lease.begin_opening, lease, "a name")
    ledger.write(leases.evict, scene.batch_id)
    assert isinstance(ledger.write(batch_lease.end_opening, lease, attempt, 500), leases.FenceLost)
    (line,) = ledger.read(attempts.attempts_of, batch_id=scene.batch_id)
    assert (line.outcome, line.remote_id) == ("done", 500)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.state, batch.remote_id) == (BatchState.OPENING, None)


def test_ending_the_opening_makes_the_batch_open(ledger):
    scene = ledger.write(scenes.furnish)
    lease, _ = take(ledger, scene.batch_id)
    _, attempt = ledger.write(batch_lease.begin_opening, lease, "a name")
    opened = ledger.write(batch_lease.end_opening, lease, attempt, 500)
    assert opened == ledger.read(batches.batch_of, scene.batch_id)
    assert (opened.state, opened.remote_id) == (BatchState.OPEN, 500)
    (line,) = ledger.read(attempts.attempts_of, batch_id=scene.batch_id)
    assert (line.id, line.outcome, line.remote_id) == (attempt, "done", 500)


def test_no_writing_station_takes_a_batch_of_a_restored_ledger(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(wait)
    with pytest.raises(batch_lease.Quarantined):
        ledger.write(
            batch_lease.take, scene.batch_id, owner="w", seconds=60, states={BatchState.PLANNED}, is_writer=True
        )
    assert ledger.read(batch_lease.held_until, scene.batch_id) is None
    assert take(ledger, scene.batch_id) is not None


def test_end_staging_releases_the_lease(ledger):
    scene, lease = ledger.write(scenes.opened)
    lease = ledger.write(scenes.post_all, lease, scene.invoice_ids)
    ledger.write(batch_lease.end_staging, lease, digest="d", proven_by="counted", counters={"total": 3})
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.state, batch.lease_owner, batch.digest) == (BatchState.STAGED, None, "d")
    with pytest.raises(leases.FenceLost):
        ledger.write(batch_lease.end_staging, lease, digest="e", proven_by="counted", counters={})


def test_until_when_somebody_has_it(ledger):
    scene = ledger.write(scenes.furnish)
    assert ledger.read(batch_lease.held_until, scene.batch_id) is None
    lease, _ = take(ledger, scene.batch_id)
    assert ledger.read(batch_lease.held_until, scene.batch_id) == lease.until
    ledger.write(ageing.age, 61)
    assert ledger.read(batch_lease.held_until, scene.batch_id) is None


def test_put_aside_it_is_free_and_due_later(ledger):
    scene = ledger.write(scenes.furnish)
    lease, before = take(ledger, scene.batch_id)
    assert ledger.write(batch_lease.postpone_batch, lease, seconds=100)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.lease_owner, batch.looks) == (None, 1)
    assert (batch.due_at - before.due_at).total_seconds() >= 100


def test_a_worker_without_its_lease_sets_no_due_time(ledger):
    scene = ledger.write(scenes.furnish)
    lease, before = take(ledger, scene.batch_id)
    ledger.write(leases.evict, scene.batch_id)
    _, taken = take(ledger, scene.batch_id, "another")
    assert not ledger.write(batch_lease.postpone_batch, lease, seconds=100)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.due_at, batch.looks) == (before.due_at, 0)
    assert (batch.fence, batch.lease_owner) == (taken.fence, "another")


def test_the_result_of_a_look_is_stored_and_the_lease_ends(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(
        lambda conn: conn.execute(sa.update(table).values(looks=4))  # As if somebody had looked before.
    )
    shown = {"created": 4}
    assert not ledger.write(batch_lease.end_look, lease, becomes=None, counters=shown, look_s=50)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.lease_owner, batch.looks, batch.counters) == (None, 5, shown)
    assert ledger.write(scenes.claimed, scene.batch_id, "another").settle_after is None
