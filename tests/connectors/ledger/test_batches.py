"""A batch from plan to end: numbers with the plan, names before requests, revisions, disturbance, decisions."""

from datetime import timedelta
from typing import Any

import pytest

from connectors.ledger import (
    approvals,
    batches,
    incidents,
    invoices,
    leases,
    numbers,
    rows,
    transitions,
)
from connectors.ledger.batch_observations import observe_batch, store_recount, to_recount
from connectors.ledger.database.sql import now
from connectors.ledger.issuance import posting
from domain.problems import FaturistaError, IllegalTransition
from domain.states import BatchState, Entity, InvoiceState
from tests.ageing import age
from tests.connectors.ledger import scene as scenes


def code_of(caught):
    return caught.value.problem.code


def test_a_plan_takes_what_is_still_drafted_in_the_order_asked(ledger):
    scene = ledger.write(scenes.furnish, 3)
    assert ledger.read(batches.batch_of, scene.batch_id).total_cents == 30_000
    assert ledger.write(plan, scene, scene.invoice_ids) is None
    more = ledger.write(draft_more, scene, 3)
    batch = ledger.write(plan, scene, [*scene.invoice_ids, *reversed(more)])
    planned = ledger.read(invoices.invoices_of, batch)
    assert [each.id for each in planned] == list(reversed(more))
    assert [each.number for each in planned] == [4, 5, 6]
    assert ledger.read(batches.batch_of, batch).count == 3
    scenes.assert_journal_tells_states(ledger)


def plan(conn, scene, ids, serie="F"):
    return batches.plan_batch(
        conn,
        reading_id=scene.reading_id,
        emitter_id=scene.emitter_id,
        competence=scenes.MONTH,
        ordinal=2,
        invoice_ids=ids,
        serie=serie,
    )


def draft_more(conn, scene, count):
    news = [rows.NewRow(sheet="T", row_number=n + 1, cells={}, line={}) for n in range(count)]
    reading = scenes.add_reading(conn)
    scenes.store(conn, reading, news)
    ids = [row.id for row in rows.rows_of(conn, reading)]
    parties = rows.Parties(scene.emitter_id, scene.taker_ids[0], scene.template_id)
    rows.resolve_rows(conn, dict.fromkeys(ids, parties))
    new = [scenes.new_invoice(each, scene.emitter_id, scene.taker_ids[0], scene.template_id) for each in ids]
    return list(invoices.draft_invoices(conn, new).ids.values())


def test_a_serie_that_was_not_started_plans_nothing(ledger):
    scene = ledger.write(scenes.furnish)
    more = ledger.write(draft_more, scene, 2)
    before = ledger.read(scenes.contents)
    with pytest.raises(FaturistaError) as caught:
        ledger.write(plan, scene, more, serie="G")
    assert code_of(caught) == "serie.not_started"
    assert ledger.read(scenes.contents) == before


def test_a_batch_has_a_name_before_the_request_and_an_id_after(ledger):
    scene = ledger.write(scenes.furnish)
    lease = ledger.write(scenes.claimed, scene.batch_id)
    named = ledger.write(batches.name_opening, lease, "first name")
    assert (named.state, named.name) == (BatchState.OPENING, "first name")
    assert named.emission_at is not None
    ledger.write(batches.replan_batch, lease, 499)
    assert ledger.read(batches.orphans_of) == [(scene.batch_id, "first name", 499)]
    again = ledger.write(batches.name_opening, lease, "second name")
    assert again.emission_at == named.emission_at
    ledger.write(batches.mark_opened, lease, 500)
    opened = ledger.read(batches.batch_of, scene.batch_id)
    assert (opened.state, opened.remote_id) == (BatchState.OPEN, 500)
    with pytest.raises(IllegalTransition):
        ledger.write(batches.mark_opened, lease, 500)


def test_staged_counts_created_notes_not_planned_ones(ledger):
    scene, lease = ledger.write(scenes.opened, 3)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    first, *others = begun.attempts.items()
    outcomes = [scenes.answer(*first, outcome="refused"), *(scenes.answer(*each) for each in others)]
    ledger.write(posting.end_posting, begun.lease, outcomes)
    staged = ledger.write(batches.mark_staged, lease, digest="d", proven_by="listed", counters={"total": 2})
    assert (staged.state, staged.count, staged.total_cents) == (BatchState.STAGED, 2, 20_000)
    assert (staged.digest, staged.proven_by, staged.counters) == ("d", "listed", {"total": 2})


@pytest.mark.parametrize(
    ("outcome", "code"), [("refused", "batch.empty"), ("in_doubt", "batch.unsettled"), ("not_sent", "batch.unsettled")]
)
def test_a_batch_without_settled_notes_is_not_staged(ledger, outcome, code):
    scene, lease = ledger.write(scenes.opened, 2)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    outcomes = [scenes.answer(*each, outcome=outcome) for each in begun.attempts.items()]
    ledger.write(posting.end_posting, begun.lease, outcomes)
    with pytest.raises(FaturistaError) as caught:
        ledger.write(batches.mark_staged, lease, digest="d", proven_by="listed", counters={})
    assert code_of(caught) == code
    assert ledger.read(batches.batch_of, scene.batch_id).state is BatchState.OPEN


def test_opened_again_a_batch_is_a_new_unapproved_revision(ledger):
    scene, lease = ledger.write(scenes.staged)
    before = ledger.read(batches.batch_of, scene.batch_id)
    ledger.write(approve, scene.batch_id)
    assert ledger.write(batches.reopen, lease, because="too old") == 2
    after = ledger.read(batches.batch_of, scene.batch_id)
    assert (after.state, after.revision, after.digest, after.proven_by) == (BatchState.OPEN, 2, None, None)
    assert after.emission_at == before.emission_at  # The number that its notes bear.
    assert ledger.read(approvals.valid_approval, scene.batch_id) is None
    with pytest.raises(IllegalTransition):
        ledger.write(batches.reopen, lease, because="again")


def approve(conn, batch_id):
    batch = batches.batch_of(conn, batch_id)
    assert batch.digest is not None
    return approvals.approve(
        conn,
        batch_id,
        revision=batch.revision,
        digest=batch.digest,
        count=batch.count,
        total_cents=batch.total_cents,
        approver="ana",
    )


def test_a_disturbed_batch_stops_whoever_works_on_it(ledger):
    scene, lease = ledger.write(scenes.opened)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    assert ledger.write(batches.disturb, scene.batch_id, code="batch.foreign_note", params={"note": 1})
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.end_posting, begun.lease, [])
    assert ledger.read(batches.batch_of, scene.batch_id).state is BatchState.DISTURBED
    assert [each.code for each in ledger.read(incidents.incidents_open, scene.batch_id)] == ["batch.foreign_note"]
    assert set(ledger.read(scenes.states_of, scene.invoice_ids).values()) == {InvoiceState.IN_DOUBT}
    scenes.assert_journal_tells_states(ledger)


def test_a_worker_that_disturbs_its_batch_keeps_the_lease(ledger):
    scene, lease = ledger.write(scenes.opened)
    assert ledger.write(batches.disturb, scene.batch_id, code="c", params={}, lease=lease)
    assert ledger.write(leases.check, lease) is BatchState.DISTURBED
    assert ledger.read(transitions.events_of, Entity.BATCH, [scene.batch_id])[-1].fence == lease.fence


def test_a_batch_beyond_disturbing_still_gets_its_incident(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(send, scene.batch_id, lease)
    assert not ledger.write(batches.disturb, scene.batch_id, code="c", params={}, lease=lease)
    assert not ledger.write(batches.disturb, scene.batch_id, code="c", params={}, lease=lease)
    assert len(ledger.read(incidents.incidents_open, scene.batch_id)) == 1
    assert ledger.read(batches.batch_of, scene.batch_id).state is BatchState.SCHEDULED


def send(conn, batch_id, lease):
    approve(conn, batch_id)
    assert approvals.begin_sending(conn, lease)
    batches.mark_sent(conn, lease, counters={"scheduled": 4})


@pytest.mark.parametrize("becomes", [BatchState.OPEN, BatchState.DISCARDING, BatchState.SCHEDULED])
def test_a_person_decides_what_becomes_of_a_disturbed_batch(ledger, becomes):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(approve, scene.batch_id)
    ledger.write(batches.disturb, scene.batch_id, code="c", params={}, lease=lease)
    ledger.write(batches.decide, scene.batch_id, becomes=becomes, person="bea", because="seen")
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert (batch.state, batch.must_list) == (becomes, True)
    assert batch.revision == (2 if becomes is BatchState.OPEN else 1)
    assert (batch.sent_at is not None) == (becomes is BatchState.SCHEDULED)
    assert (ledger.read(approvals.valid_approval, scene.batch_id) is None) == (becomes is not BatchState.SCHEDULED)
    assert ledger.read(incidents.incidents_open) == []
    with pytest.raises(FaturistaError) as caught:
        ledger.write(batches.decide, scene.batch_id, becomes=becomes, person="bea", because="again")
    assert code_of(caught) == "batch.not_disturbed"


def test_a_batch_that_was_never_opened_can_only_be_given_up(ledger):
    scene = ledger.write(scenes.furnish)
    ledger.write(batches.disturb, scene.batch_id, code="c", params={})
    with pytest.raises(FaturistaError) as caught:
        ledger.write(batches.decide, scene.batch_id, becomes=BatchState.OPEN, person="bea", because="x")
    assert code_of(caught) == "batch.never_opened"
    ledger.write(batches.decide, scene.batch_id, becomes=BatchState.DISCARDING, person="bea", because="x")


def test_looks_move_the_batch_forward_and_say_when_to_look_next(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(send, scene.batch_id, lease)
    assert set(ledger.read(scenes.states_of, scene.invoice_ids).values()) == {InvoiceState.SCHEDULED}
    look = {"counters": {"processing": 4}, "look_s": 60}
    assert ledger.write(observe_batch, scene.batch_id, becomes=BatchState.PROCESSING, **look)
    assert not ledger.write(observe_batch, scene.batch_id, becomes=BatchState.PROCESSING, **look)
    looked = ledger.read(batches.batch_of, scene.batch_id)
    assert (looked.looks, looked.counters) == (2, {"processing": 4})
    assert looked.due_at - ledger.read(now) > timedelta(seconds=30)
    assert looked.closed_at is None
    ledger.write(observe_batch, scene.batch_id, becomes=BatchState.PROCESSED, counters={}, look_s=None)
    closed = ledger.read(batches.batch_of, scene.batch_id)
    assert (closed.state, closed.closed_at is None) == (BatchState.PROCESSED, False)
    assert ledger.read(to_recount, days=70) == []


def test_a_closed_batch_is_counted_once_a_day(ledger):
    scene, lease = ledger.write(scenes.staged)
    ledger.write(send, scene.batch_id, lease)
    ledger.write(observe_batch, scene.batch_id, becomes=BatchState.PROCESSED, counters={}, look_s=None)
    ledger.write(scenes.age_batch, scene.batch_id, days=2)
    assert ledger.read(to_recount, days=70) == [scene.batch_id]
    assert ledger.read(to_recount, days=1) == []
    ledger.write(store_recount, scene.batch_id, {"cancelled": 1})
    assert ledger.read(to_recount, days=70) == []
    # The clock is set back by three days.
    ledger.write(age, -3 * 86_400)
    assert ledger.read(to_recount, days=70) == [scene.batch_id]


def test_batches_are_found_by_state_and_reading(ledger):
    one = ledger.write(scenes.furnish)
    two, _ = ledger.write(scenes.opened, sha256="b" * 64)
    assert [each.id for each in ledger.read(batches.batches_where)] == [one.batch_id, two.batch_id]
    assert [each.id for each in ledger.read(batches.batches_where, states={BatchState.OPEN})] == [two.batch_id]
    assert [each.id for each in ledger.read(batches.batches_where, reading_id=one.reading_id)] == [one.batch_id]
    with pytest.raises(FaturistaError) as caught:
        ledger.read(batches.batch_of, 99)
    assert code_of(caught) == "batch.not_found"


def test_every_number_is_ours_and_explained(ledger):
    scene, lease = ledger.write(scenes.opened, 3)
    begun = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    first, *others = begun.attempts.items()
    outcomes = [scenes.answer(*first, outcome="refused"), *(scenes.answer(*each) for each in others)]
    ledger.write(posting.end_posting, begun.lease, outcomes)
    assert ledger.read(numbers.wrong_digests, scene.batch_id) == []
    assert ledger.read(numbers.audit_below, scene.emitter_id, "F", 3) == []


@pytest.mark.parametrize("was", [BatchState.PLANNED, BatchState.OPENING, BatchState.OPEN, BatchState.STAGED])
def test_a_worker_without_its_lease_moves_nothing(ledger, was):
    scene = ledger.write(scenes.furnish)
    lease = ledger.write(scenes.claimed, scene.batch_id)
    steps: dict[BatchState, tuple[Any, dict[str, Any]]] = {
        BatchState.PLANNED: (batches.name_opening, {"name": "n"}),
        BatchState.OPENING: (batches.replan_batch, {}),
        BatchState.OPEN: (batches.mark_staged, {"digest": "d", "proven_by": "counted", "counters": {}}),
        BatchState.STAGED: (batches.reopen, {"because": "x"}),
    }
    if was is not BatchState.PLANNED:
        ledger.write(batches.name_opening, lease, "n")
    if was in {BatchState.OPEN, BatchState.STAGED}:
        ledger.write(batches.mark_opened, lease, 500)
        ledger.write(scenes.post_all, lease, scene.invoice_ids)
    if was is BatchState.STAGED:
        step, options = steps[BatchState.OPEN]
        ledger.write(step, lease, **options)
    ledger.write(leases.evict, scene.batch_id)
    before = ledger.read(scenes.contents)
    step, options = steps[was]
    with pytest.raises(leases.FenceLost):
        ledger.write(step, lease, **options)
    assert ledger.read(scenes.contents) == before
