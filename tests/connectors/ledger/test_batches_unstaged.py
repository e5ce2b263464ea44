"""Batches without staging: fixed without a request, sent when no invoice of theirs is left to post."""

import pytest

from connectors.ledger import (
    approvals,
    batch_observations,
    batches,
    invoices,
    leases,
    numbers,
    transitions,
    withdrawals,
)
from domain.problems import FaturistaError, IllegalTransition
from domain.states import BatchState, Entity, InvoiceState
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes


def batch_of(ledger, made):
    return ledger.read(batches.batch_of, made.batch_id)


@pytest.mark.parametrize("kind", ["nfe", "nfce"])
def test_payloads_are_fixed_without_any_request(ledger, kind):
    made, lease = ledger.write(products.fixed, 3, kind=kind)
    batch = batch_of(ledger, made)
    assert (batch.kind, batch.state, batch.digest, batch.proven_by) == (kind, BatchState.STAGED, "d", "fixed")
    assert (batch.count, batch.total_cents) == (3, 3 * products.CENTS)
    assert (batch.remote_id, batch.name, batch.emission_at) == (None, None, None)
    events = ledger.read(transitions.events_of, Entity.BATCH, [batch.id])
    assert [each.becomes for each in events] == ["planned", "opening", "open", "staged"]
    assert {each.fence for each in events[1:]} == {lease.fence}
    assert set(ledger.read(scenes.states_of, made.invoice_ids).values()) == {InvoiceState.RESERVED}
    scenes.assert_journal_tells_states(ledger)


def test_kinds_of_one_company_have_series_of_their_own(ledger):
    nfe = ledger.write(products.planned, 2)
    nfce = ledger.write(products.planned, 3, kind="nfce", sha256="d" * 64)
    assert nfe.emitter_id != nfce.emitter_id
    for made, highest in ((nfe, 2), (nfce, 3)):
        assert [each.number for each in ledger.read(invoices.invoices_of, made.batch_id)] == [*range(1, highest + 1)]
        assert ledger.read(numbers.serie_of, made.emitter_id, "7").next_number == highest + 1


def test_a_plan_takes_drafts_of_its_own_kind_alone(ledger):
    reading, emitter, ids = ledger.write(products.resolved, 1)
    drafted = ledger.write(invoices.draft_invoices, [products.new_order(ids, emitter)])
    other = ledger.write(products.add_shop, "nfce")
    asked = {"reading_id": reading, "emitter_id": other, "competence": scenes.MONTH, "ordinal": 1, "serie": "7"}
    assert ledger.write(batches.plan_batch, invoice_ids=list(drafted.ids.values()), **asked) is None


def test_a_batch_of_a_staging_issuer_is_not_fixed(ledger):
    scene = ledger.write(scenes.furnish)
    lease = ledger.write(scenes.claimed, scene.batch_id)
    before = ledger.read(scenes.contents)
    with pytest.raises(IllegalTransition):
        ledger.write(batches.freeze_payloads, lease, digest="d")
    assert ledger.read(scenes.contents) == before


def test_a_batch_is_fixed_once_by_whoever_has_it(ledger):
    made, lease = ledger.write(products.fixed)
    with pytest.raises(IllegalTransition):
        ledger.write(batches.freeze_payloads, lease, digest="e")
    ledger.write(leases.give_back, lease)
    with pytest.raises(leases.FenceLost):
        ledger.write(batches.freeze_payloads, lease, digest="e")
    assert batch_of(ledger, made).digest == "d"


def test_opened_again_it_is_fixed_again_with_another_yes(ledger):
    made, lease = ledger.write(products.fixed)
    ledger.write(products.approve, made)
    assert ledger.write(batches.reopen, lease, because="second thoughts") == 2
    assert batch_of(ledger, made).emission_at is None
    ledger.write(batches.freeze_payloads, lease, digest="d")
    assert ledger.write(approvals.begin_sending, lease) is None
    ledger.write(products.approve, made)
    assert ledger.write(approvals.begin_sending, lease).revision == 2


def test_a_partly_issued_batch_is_not_fixed_again(ledger):
    made, lease = ledger.write(products.sending)
    ledger.write(products.post, lease, "issued", ids=made.invoice_ids[:1])
    ledger.write(batches.disturb, made.batch_id, code="c", params={}, lease=lease)
    ledger.write(batches.decide, made.batch_id, becomes=BatchState.OPEN, person="bea", because="seen")
    with pytest.raises(FaturistaError) as caught:
        ledger.write(batches.freeze_payloads, lease, digest="e")
    assert caught.value.problem.code == "batch.unsettled"
    assert batch_of(ledger, made).state is BatchState.OPEN


def test_a_batch_of_which_nothing_is_left_is_not_fixed(ledger):
    made = ledger.write(products.planned, 1)
    lease = ledger.write(scenes.claimed, made.batch_id)
    ledger.write(
        transitions.move, made.invoice_ids, was=InvoiceState.RESERVED, becomes=InvoiceState.RETIRED, because="x"
    )
    with pytest.raises(FaturistaError) as caught:
        ledger.write(batches.freeze_payloads, lease, digest="d")
    assert caught.value.problem.code == "batch.empty"


@pytest.mark.parametrize("left", ["not_sent", "in_doubt"])
def test_a_batch_with_unsettled_invoices_is_not_sent(ledger, left):
    made, lease = ledger.write(products.sending, 4)
    ledger.write(products.post, lease, "issued", "refused", left, ids=made.invoice_ids[:3])
    with pytest.raises(FaturistaError) as caught:
        ledger.write(batches.mark_sent, lease, counters={})
    assert (caught.value.problem.code, caught.value.problem.params["count"]) == ("batch.unsettled", 2)
    assert batch_of(ledger, made).state is BatchState.SENDING


def test_sent_it_counts_what_was_issued(ledger):
    made, lease = ledger.write(products.sending, 3)
    ledger.write(products.post, lease, "issued", "refused", "issued", ids=made.invoice_ids)
    ledger.write(batches.mark_sent, lease, counters={"processing": 2})
    batch = batch_of(ledger, made)
    assert (batch.state, batch.count, batch.total_cents) == (BatchState.SCHEDULED, 2, 2 * products.CENTS)
    assert batch.sent_at is not None
    look = {"counters": {"accepted": 2}, "look_s": None}
    assert ledger.write(batch_observations.observe_batch, made.batch_id, becomes=BatchState.PROCESSED, **look)
    assert ledger.read(numbers.audit_below, made.emitter_id, "7", 3) == []
    assert ledger.read(numbers.wrong_digests, made.batch_id) == []
    scenes.assert_journal_tells_states(ledger)


def test_closing_a_partly_issued_batch_drafts_the_rest_again(ledger):
    made, lease = ledger.write(products.sending, 3)
    ledger.write(products.post, lease, "issued", ids=made.invoice_ids[:1])
    ledger.write(batches.disturb, made.batch_id, code="c", params={}, lease=lease)
    ledger.write(batches.decide, made.batch_id, becomes=BatchState.SCHEDULED, person="bea", because="seen")
    drafts = ledger.write(withdrawals.split_off, lease)
    assert [each.follows_id for each in ledger.read(invoices.invoices_by_ids, drafts)] == made.invoice_ids[1:]
    assert (batch_of(ledger, made).count, batch_of(ledger, made).total_cents) == (1, products.CENTS)


def test_given_up_before_it_is_sent_nothing_is_left_of_it(ledger):
    made, lease = ledger.write(products.fixed)
    ledger.write(withdrawals.give_up, lease, because="x", renews=True)
    retired = {"was": InvoiceState.RESERVED, "becomes": InvoiceState.RETIRED, "because": "withdrawn"}
    ledger.write(leases.move_under, lease, made.invoice_ids, **retired)
    assert len(ledger.write(withdrawals.close_discarded, lease)) == 3
    assert batch_of(ledger, made).state is BatchState.DISCARDED
