"""A hold on a batch begins and ends in one transaction each, and only who has it says when it is due again."""

import sqlalchemy as sa

from connectors.ledger import batches, claims
from connectors.ledger.holds import holding
from connectors.ledger.tables import batches as table
from domain.states import BatchState
from tests.connectors.ledger import scene as scenes


def take(ledger, batch_id, owner="worker", seconds=60):
    return ledger.write(holding.take, batch_id, owner=owner, seconds=seconds, states={BatchState.PLANNED})


def test_what_is_taken_is_told_as_it_is_under_the_lease(ledger):
    scene = ledger.write(scenes.furnish)
    lease, batch = take(ledger, scene.batch_id)
    assert batch == ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.fence, batch.lease_owner) == (lease.fence, "worker")
    assert take(ledger, scene.batch_id, "another") is None


def test_put_aside_it_is_free_and_due_later(ledger):
    scene = ledger.write(scenes.furnish)
    lease, before = take(ledger, scene.batch_id)
    assert ledger.write(holding.put_aside, lease, seconds=100)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.lease_owner, batch.looks) == (None, 1)
    assert (batch.due_at - before.due_at).total_seconds() >= 100


def test_who_has_lost_it_does_not_say_when_it_is_due(ledger):
    scene = ledger.write(scenes.furnish)
    lease, before = take(ledger, scene.batch_id)
    ledger.write(claims.evict, scene.batch_id)
    _, taken = take(ledger, scene.batch_id, "another")
    assert not ledger.write(holding.put_aside, lease, seconds=100)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.due_at, batch.looks) == (before.due_at, 0)
    assert (batch.fence, batch.lease_owner) == (taken.fence, "another")


def test_what_a_look_has_shown_is_noted_and_the_batch_given_back(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(
        lambda conn: conn.execute(sa.update(table).values(looks=4))  # as if looked at before
    )
    shown = {"created": 4}
    assert not ledger.write(holding.end_look, lease, becomes=None, counters=shown, look_s=50)
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.lease_owner, batch.looks, batch.counters) == (None, 5, shown)
    assert ledger.write(scenes.claimed, scene.batch_id, "another").settle_after is None
