"""Before the approval no request goes to the provider; the approval is bound to every number and every content."""

import pytest

from connectors.ledger import approvals
from connectors.ledger.approvals import NotApprovable
from domain.staff import Actor
from tasks.issuance.discard import discard_batch
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.approving import approve_batch
from tests.tasks.store import Store, sale, sales
from tests.tasks.workshop import remarks


def test_nothing_is_asked_of_the_provider_before_a_yes(each_store: Store):
    store = each_store
    batch = store.planned(3)
    before = len(store.record()["requests"])
    result = store.run(stage_batch, batch)
    assert (result.ending, dict(result.counts)) == ("done", {"fixed": 3})
    record = store.batch(batch)
    assert (record.state, record.count, record.total_cents, record.remote_id) == ("staged", 3, 2 * 3006, None)
    # At most the request that asks for the account.
    assert len(store.record()["requests"]) <= before + 1
    assert store.run(release_batch, batch).ending == "busy"
    assert (store.writes(), store.held()) == ([], [])


def test_once_fixed_there_is_nothing_left_to_do(store: Store):
    batch = store.staged(2)
    digest = store.batch(batch).digest
    assert store.run(stage_batch, batch).ending == "busy"
    assert store.batch(batch).digest == digest


def test_other_content_under_same_numbers_changes_the_digest(store: Store):
    _, batches = store.sold(sale(1), sale(2, kind="nfce"))
    for batch in batches:
        store.run(stage_batch, batch)
    first, second = (store.batch(batch) for batch in batches)
    assert [note.number for batch in batches for note in store.notes(batch)] == [1, 1]
    assert first.digest != second.digest


def test_the_same_content_under_another_number_differs(store: Store):
    """A consumer invoice does not name its order: only the number distinguishes these."""
    batches = [store.sold(sale(order, kind="nfce"))[1][0] for order in ("A", "B")]
    for batch in batches:
        store.run(stage_batch, batch)
    assert len({note.digest for batch in batches for note in store.notes(batch)}) == 1
    assert len({store.batch(batch).digest for batch in batches}) == 2


def test_a_yes_is_void_once_the_batch_was_opened_again(each_store: Store):
    store = each_store
    batch = store.approved(2)
    shown = store.batch(batch)
    store.reopen(batch)
    assert store.read(approvals.valid_approval, batch) is None
    assert store.run(release_batch, batch).ending == "busy"
    store.run(stage_batch, batch)
    assert (store.batch(batch).revision, store.batch(batch).digest != shown.digest) == (shown.revision + 1, True)
    assert store.run(release_batch, batch).ending == "busy"
    with store.context() as context, pytest.raises(NotApprovable):
        approve_batch(context, shown, actor=Actor("Ana"))
    assert store.posts() == 0


@pytest.mark.parametrize("column", ["digest = 'another'", "total_cents = total_cents + 1", "void_at = 1"])
def test_without_a_yes_to_exactly_this_nothing_is_posted(store: Store, column: str):
    batch = store.approved(2)
    store.tamper(f"UPDATE approvals SET {column}")
    result = store.run(release_batch, batch)
    assert (result.ending, remarks(result)) == ("disturbed", ["batch.approval_void"])
    assert (store.batch(batch).state, store.posts()) == ("disturbed", 0)


def test_a_withdrawn_approval_stops_the_remaining_posts(store: Store):
    batch = store.approved(2)
    with store.dying(batch) as notes:
        store.reach(notes[0])
    store.run(release_batch, batch)
    store.tamper("UPDATE approvals SET void_at = 1")
    store.long_ago()
    store.run(release_batch, batch)
    assert (store.batch(batch).state, store.numbers_held(), store.posts()) == ("sending", [1], 1)


def test_a_fixed_batch_is_taken_back_without_a_request(store: Store):
    batch = store.approved(2)
    store.decide(batch, "discard")
    result = store.run(discard_batch, batch)
    assert (store.batch(batch).state, dict(result.counts)) == ("discarded", {"deleted": 0, "retired": 2})
    assert store.writes() == []
    _, (fresh,) = store.sold(*sales(2))
    assert [note.number for note in store.notes(fresh)] == [3, 4]
