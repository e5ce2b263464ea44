"""An approval of one batch, one revision, one digest, and the conditions of a send."""

import pytest

from connectors.ledger import approvals, batches, leases
from connectors.ledger.approvals import NotApprovable
from domain.states import BatchState
from tests.connectors.ledger import scene as scenes

SEEN = {"revision": 1, "digest": "d", "count": 4, "total_cents": 40_000}


def state_of(ledger, scene):
    return ledger.read(batches.batch_of, scene.batch_id).state


def test_an_approval_is_bound_to_what_was_seen(ledger):
    scene, _ = ledger.write(scenes.staged)
    given = ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    assert ledger.read(approvals.valid_approval, scene.batch_id) == given
    assert {name: getattr(given, name) for name in SEEN} == SEEN
    assert state_of(ledger, scene) is BatchState.APPROVED


@pytest.mark.parametrize("changed", [{"revision": 2}, {"digest": "e"}, {"count": 3}, {"total_cents": 1}])
def test_a_batch_changed_since_it_was_shown_is_not_approved(ledger, changed):
    scene, _ = ledger.write(scenes.staged)
    before = ledger.read(scenes.contents)
    with pytest.raises(NotApprovable):
        ledger.write(approvals.approve, scene.batch_id, approver="ana", **(SEEN | changed))
    assert ledger.read(scenes.contents) == before


def test_only_a_staged_batch_is_approved_and_only_once(ledger):
    scene, _ = ledger.write(scenes.opened)
    with pytest.raises(NotApprovable):
        ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    other, _ = ledger.write(lambda conn: scenes.staged(conn, sha256="b" * 64, remote_id=501))
    ledger.write(approvals.approve, other.batch_id, approver="ana", **SEEN)
    with pytest.raises(NotApprovable) as caught:
        ledger.write(approvals.approve, other.batch_id, approver="bea", **SEEN)
    assert caught.value.problem.code == "batch.approved_before"
    assert caught.value.problem.params["person"] == "ana"


def test_sending_begins_once_and_only_as_approved(ledger):
    scene, lease = ledger.write(scenes.staged)
    assert ledger.write(approvals.begin_sending, lease) is None
    given = ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    assert ledger.write(approvals.begin_sending, lease) == given
    assert ledger.write(approvals.begin_sending, lease) is None
    assert state_of(ledger, scene) is BatchState.SENDING


def test_a_void_approval_sends_nothing(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    assert ledger.write(approvals.void_approval, scene.batch_id, because="second thoughts")
    assert not ledger.write(approvals.void_approval, scene.batch_id, because="third thoughts")
    assert ledger.read(approvals.valid_approval, scene.batch_id) is None
    assert ledger.write(approvals.begin_sending, lease) is None
    assert state_of(ledger, scene) is BatchState.APPROVED


def test_a_worker_without_the_batch_sends_nothing(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    ledger.write(scenes.age_lease, scene.batch_id, 3600)
    for call in (approvals.begin_sending, approvals.revert_sending):
        with pytest.raises(leases.FenceLost):
            ledger.write(call, lease)
    assert state_of(ledger, scene) is BatchState.APPROVED


def test_a_batch_found_unsent_is_still_approved(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    assert not ledger.write(approvals.revert_sending, lease)
    assert ledger.write(approvals.begin_sending, lease)
    assert ledger.write(approvals.revert_sending, lease)
    assert ledger.write(approvals.begin_sending, lease)


def test_opened_again_and_staged_again_it_wants_a_new_yes(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    ledger.write(batches.reopen, lease, because="too old")
    ledger.write(batches.mark_staged, lease, digest="d", proven_by="listed", counters={})
    with pytest.raises(NotApprovable):
        ledger.write(approvals.approve, scene.batch_id, approver="ana", **SEEN)
    ledger.write(approvals.approve, scene.batch_id, approver="ana", **(SEEN | {"revision": 2}))
    assert ledger.write(approvals.begin_sending, lease).revision == 2
