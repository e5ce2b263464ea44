"""Posting where a post issues: only under a valid approval, and never taken back."""

import pytest

from connectors.ledger import approvals, attempts, incidents, invoices, leases, numbers
from connectors.ledger.issuance import posting
from domain.problems import Problem
from domain.states import InvoiceState
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes

State = InvoiceState


def states(ledger, ids):
    found = ledger.read(scenes.states_of, ids)
    return [found[each] for each in ids]


def test_nothing_is_posted_before_its_batch_is_being_sent(ledger):
    made, lease = ledger.write(products.fixed)
    for step in (None, products.approve):
        if step is not None:
            ledger.write(step, made)
        before = ledger.read(scenes.contents)
        with pytest.raises(leases.FenceLost):
            ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60)
        assert ledger.read(scenes.contents) == before
    ledger.write(approvals.begin_sending, lease)
    begun = ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60)
    assert set(begun.attempts) == set(made.invoice_ids)
    assert ledger.read(numbers.serie_of, made.emitter_id, "7").highest_posted == 3


def test_nothing_is_posted_once_the_approval_is_void(ledger):
    made, lease = ledger.write(products.sending)
    ledger.write(approvals.void_approval, made.batch_id, because="second thoughts")
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60)


def test_a_service_note_is_not_posted_during_the_send(ledger):
    scene, lease = ledger.write(scenes.staged)
    seen = {"revision": 1, "digest": "d", "count": 4, "total_cents": 40_000}
    ledger.write(approvals.approve, scene.batch_id, approver="ana", **seen)
    assert ledger.write(approvals.begin_sending, lease)
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)


def test_every_outcome_has_its_state(ledger):
    made, lease = ledger.write(products.sending, 6)
    tried = ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60).attempts
    a, b, c, d, e, f = made.invoice_ids
    outcomes = [
        products.answer(a, tried[a]),
        products.answer(b, tried[b], outcome="not_sent"),
        products.answer(c, tried[c], outcome="refused", status=422, problems=(Problem("provider.refused_field"),)),
        products.answer(d, tried[d], outcome="in_doubt"),
        products.answer(e, tried[e], outcome="disturbed", remote_id=1, observed=State.ACCEPTED),
        products.answer(f, tried[f], outcome="issued", remote_id=None),
    ]
    ended = ledger.write(posting.end_posting, lease, outcomes)
    assert (ended.issued, ended.created, ended.reserved, ended.refused) == ([a], [], [b], [c])
    assert (ended.in_doubt, ended.observed, ended.clashing) == ([d, f], [e], [])
    assert states(ledger, made.invoice_ids) == [
        State.PROCESSING, State.RESERVED, State.REFUSED, State.IN_DOUBT, State.ACCEPTED, State.IN_DOUBT,
    ]  # fmt: skip
    issued, refused = ledger.read(invoices.invoices_by_ids, [a, c])
    assert issued.remote_id == 7_000 + a
    assert [each["code"] for each in refused.errors] == ["provider.refused_field"]
    closed = ledger.read(attempts.attempts_of, batch_id=made.batch_id)
    assert [each.outcome for each in closed] == ["done", "not_sent", "refused", "in_doubt", "disturbed", "done"]
    assert ledger.read(incidents.incidents_open) == []
    # The refused note's number is retired, and no number is unexplained.
    assert ledger.read(numbers.audit_below, made.emitter_id, "7", 6) == []
    scenes.assert_journal_tells_states(ledger)


def test_an_id_is_compared_with_those_of_its_own_kind(ledger):
    service, _ = ledger.write(scenes.staged, 1)
    noted = 9_000 + service.invoice_ids[0]
    made, lease = ledger.write(products.sending, 2)
    a, b = made.invoice_ids
    tried = ledger.write(posting.begin_posting, lease, [a, b], seconds=60).attempts
    outcomes = [products.answer(each, tried[each], remote_id=noted) for each in (a, b)]
    ended = ledger.write(posting.end_posting, lease, outcomes)
    assert (ended.issued, ended.in_doubt, ended.clashing) == ([a], [b], [b])


def test_each_kind_has_its_own_word_for_success(ledger):
    made, lease = ledger.write(products.sending, 1)
    tried = ledger.write(posting.begin_posting, lease, made.invoice_ids, seconds=60).attempts
    [[invoice, attempt]] = tried.items()
    with pytest.raises(ValueError, match="not created"):
        ledger.write(posting.end_posting, lease, [scenes.answer(invoice, attempt)])
    service, lease = ledger.write(scenes.opened, 1)
    [[note, attempt]] = ledger.write(posting.begin_posting, lease, service.invoice_ids, seconds=60).attempts.items()
    with pytest.raises(ValueError, match="not issued"):
        ledger.write(posting.end_posting, lease, [products.answer(note, attempt)])
    assert states(ledger, [invoice, note]) == [State.POSTING, State.POSTING]


def test_a_dead_workers_posts_are_in_doubt_for_the_next(ledger):
    made, lease = ledger.write(products.sending)
    ledger.write(posting.begin_posting, lease, made.invoice_ids[:1], seconds=60)
    ledger.write(scenes.age_lease, made.batch_id, 3600)
    taken = ledger.write(scenes.claimed, made.batch_id, "other")
    assert states(ledger, made.invoice_ids) == [State.IN_DOUBT, State.RESERVED, State.RESERVED]
    begun = ledger.write(posting.begin_posting, taken, made.invoice_ids, seconds=60)
    assert set(begun.attempts) == set(made.invoice_ids[1:])
