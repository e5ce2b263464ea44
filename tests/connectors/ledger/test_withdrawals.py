"""Withdrawals: batches given up, and notes left behind by a batch that somebody else sent."""

import pytest

from connectors.ledger import attempts, batches, invoices, leases, transitions, withdrawals
from domain.problems import FaturistaError, IllegalTransition
from domain.states import BatchState, InvoiceState
from tests.connectors.ledger import scene as scenes


def delete_all(ledger, scene, lease):
    states = {"was": InvoiceState.CREATED, "becomes": InvoiceState.DELETED, "because": "discarded"}
    assert ledger.write(leases.move_under, lease, scene.invoice_ids, **states) == scene.invoice_ids


@pytest.mark.parametrize("renews", [False, True])
def test_a_batch_given_up_closes_when_its_last_note_is_gone(ledger, renews):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(withdrawals.give_up, lease, because="too old", renews=renews)
    with pytest.raises(FaturistaError) as caught:
        ledger.write(withdrawals.close_discarded, lease)
    assert caught.value.problem.code == "batch.unsettled"
    delete_all(ledger, scene, lease)
    drafts = ledger.write(withdrawals.close_discarded, lease)
    assert len(drafts) == (len(scene.invoice_ids) if renews else 0)
    assert ledger.read(batches.batch_of, scene.batch_id).state is BatchState.DISCARDED
    followed = [each.follows_id for each in ledger.read(invoices.invoices_by_ids, drafts)]
    assert followed == (scene.invoice_ids if renews else [])
    scenes.assert_journal_tells_states(ledger)


def test_an_invoice_is_drafted_again_only_once(ledger):
    scene, lease = ledger.write(scenes.opened)
    lease = ledger.write(scenes.post_all, lease, scene.invoice_ids[:3])
    drafts = ledger.write(withdrawals.split_off, lease)
    withdrawn = {"was": InvoiceState.DRAFTED, "becomes": InvoiceState.RETIRED, "because": "x"}
    ledger.write(transitions.move, drafts, **withdrawn)
    assert ledger.write(invoices.redraft, scene.invoice_ids[3:], because="x") == []


@pytest.mark.parametrize(("renews", "count"), [(False, 0), (True, 1)])
def test_a_discarded_note_is_not_drafted_when_the_rest_is_sent(ledger, renews, count):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(withdrawals.give_up, lease, because="x", renews=renews)
    ledger.write(attempts.begin, lease, "delete", invoice_id=scene.invoice_ids[0])
    states = {"was": InvoiceState.CREATED, "becomes": InvoiceState.DELETED, "because": "discarded"}
    ledger.write(leases.move_under, lease, scene.invoice_ids[:1], **states)
    assert ledger.write(batches.disturb, scene.batch_id, code="batch.sent_by_other", params={}, lease=lease)
    ledger.write(leases.give_back, lease)
    ledger.write(batches.decide, scene.batch_id, becomes=BatchState.SCHEDULED, person="ana", because="Rui sent it")
    lease = ledger.write(leases.claim, scene.batch_id, owner="w", seconds=60, states={BatchState.SCHEDULED})
    assert len(ledger.write(withdrawals.split_off, lease)) == count
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert batch.count == len(scene.invoice_ids) - 1
    scenes.assert_journal_tells_states(ledger)


def test_a_withdrawn_batch_to_renew_ends_the_renewal(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(withdrawals.give_up, lease, because="too old", renews=True)
    ledger.write(batches.disturb, scene.batch_id, code="batch.unresolved", params={}, lease=lease)
    ledger.write(leases.give_back, lease)
    ledger.write(batches.decide, scene.batch_id, becomes=BatchState.DISCARDING, person="ana", because="no more")
    lease = ledger.write(leases.claim, scene.batch_id, owner="w", seconds=60, states={BatchState.DISCARDING})
    delete_all(ledger, scene, lease)
    assert ledger.write(withdrawals.close_discarded, lease) == []


def test_a_batch_is_not_given_up_twice(ledger):
    _, lease = ledger.write(scenes.staged)
    ledger.write(withdrawals.give_up, lease, because="x")
    with pytest.raises(IllegalTransition):
        ledger.write(withdrawals.give_up, lease, because="x")


def test_notes_left_behind_are_retired_and_drafted_again(ledger):
    scene, lease = ledger.write(scenes.opened)
    lease = ledger.write(scenes.post_all, lease, scene.invoice_ids[:3])
    drafts = ledger.write(withdrawals.split_off, lease)
    [draft] = ledger.read(invoices.invoices_by_ids, drafts)
    last = scene.invoice_ids[3]
    assert (draft.state, draft.follows_id, draft.batch_id) == (InvoiceState.DRAFTED, last, None)
    assert ledger.read(scenes.states_of, [last])[last] is InvoiceState.RETIRED
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.count, batch.total_cents) == (3, 30_000)
