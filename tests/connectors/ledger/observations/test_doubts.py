"""Doubts where a post issues: found, absent, or unknowable."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from connectors.ledger import batches, incidents, invoices, leases, numbers
from connectors.ledger.issuance import posting
from connectors.ledger.observations import doubts
from connectors.ledger.observations.doubts import FoundNote
from domain.states import BatchState, InvoiceState
from tests.connectors.ledger import products
from tests.connectors.ledger import scene as scenes

State = InvoiceState


def two_open(ledger):
    first = ledger.write(scenes.opened)
    return first, ledger.write(scenes.opened, sha256="b" * 64, remote_id=501)


def doubtful(ledger, orders):
    made, lease = ledger.write(products.sending, orders)
    ledger.write(products.post, lease, *["in_doubt"] * orders, ids=made.invoice_ids)
    return made, lease


@pytest.mark.parametrize("state", [State.PROCESSING, State.ACCEPTED, State.REJECTED, State.CANCELLED])
def test_a_found_invoice_takes_the_id_and_state_of_the_look(ledger, state):
    made, lease = doubtful(ledger, 1)
    [invoice] = made.invoice_ids
    assert ledger.write(doubts.adopt_notes, lease, [FoundNote(invoice_id=invoice, remote_id=71, state=state)]) == [
        invoice
    ]
    [found] = ledger.read(invoices.invoices_by_ids, [invoice])
    assert (found.state, found.remote_id) == (state, 71)
    ledger.write(batches.mark_sent, lease, counters={})
    assert ledger.read(numbers.audit_below, made.emitter_id, "7", 1) == []
    scenes.assert_journal_tells_states(ledger)


def test_nothing_is_found_waiting_where_posting_issues(ledger):
    made, lease = doubtful(ledger, 1)
    before = ledger.read(scenes.contents)
    found = [FoundNote(invoice_id=made.invoice_ids[0], remote_id=71, state=State.CREATED)]
    with pytest.raises(sa.exc.IntegrityError):
        ledger.write(doubts.adopt_notes, lease, found)
    assert ledger.read(scenes.contents) == before


def test_a_note_absent_twice_is_posted_under_its_number_again(ledger):
    made, lease = doubtful(ledger, 1)
    [doubt] = ledger.read(invoices.invoices_by_ids, made.invoice_ids)
    looked = {"quiet_s": 300, "request_timeout_s": 30}
    for after, fate in ((1, "waiting"), (299, "waiting"), (301, "reserved")):
        at = doubt.last_byte_at + timedelta(seconds=after)
        settled = ledger.write(doubts.settle_absent, lease, [doubt.id], listed_at=at, **looked)
        assert getattr(settled, fate) == [doubt.id]
    ended = ledger.write(products.post, lease, "issued", ids=[doubt.id])
    assert ended.issued == [doubt.id]
    [issued] = ledger.read(invoices.invoices_by_ids, made.invoice_ids)
    assert (issued.number, issued.digest) == (doubt.number, doubt.digest)


def test_two_doubts_are_for_a_person_where_posting_issues(ledger):
    """A second arrival is a second tax document there."""
    made, lease = doubtful(ledger, 1)
    looked = {"quiet_s": 300, "request_timeout_s": 30}
    for quiet_s, fate in ((300, "reserved"), (600, "unresolved")):
        [doubt] = ledger.read(invoices.invoices_by_ids, made.invoice_ids)
        for after in (1, quiet_s):
            at = doubt.last_byte_at + timedelta(seconds=after)
            settled = ledger.write(doubts.settle_absent, lease, [doubt.id], listed_at=at, **looked)
        assert getattr(settled, fate) == [doubt.id]
        if fate == "reserved":
            ledger.write(products.post, lease, "in_doubt", ids=[doubt.id])


def test_a_person_decides_about_unknown_outcomes(ledger):
    made, lease = doubtful(ledger, 3)
    a, b, c = made.invoice_ids
    assert ledger.write(doubts.settle_unknowable, lease, [a, b], because="x") == [a, b]
    assert ledger.write(doubts.settle_unknowable, lease, [a, b], because="x") == []
    assert ledger.read(scenes.states_of, [a, b, c]) == {a: State.UNRESOLVED, b: State.UNRESOLVED, c: State.IN_DOUBT}
    assert ledger.write(posting.begin_posting, lease, [a, b], seconds=60).attempts == {}
    ledger.write(doubts.settle_unknowable, lease, [c], because="x")
    ledger.write(batches.mark_sent, lease, counters={})
    assert ledger.read(batches.batch_of, made.batch_id).state is BatchState.SCHEDULED
    assert ledger.write(invoices.settle, a, becomes=State.RETIRED, because="ana: not there")
    assert ledger.write(invoices.settle, b, becomes=State.ACCEPTED, because="ana: there", remote_id=8)
    scenes.assert_journal_tells_states(ledger)


def test_another_batch_is_not_settled_and_a_lost_one_neither(ledger):
    made, lease = doubtful(ledger, 1)
    _, others_lease = ledger.write(products.sending, 1, sha256="d" * 64)
    assert ledger.write(doubts.settle_unknowable, others_lease, made.invoice_ids, because="x") == []
    ledger.write(leases.give_back, lease)
    with pytest.raises(leases.FenceLost):
        ledger.write(doubts.settle_unknowable, lease, made.invoice_ids, because="x")
    assert ledger.read(scenes.states_of, made.invoice_ids) == {made.invoice_ids[0]: State.IN_DOUBT}


def test_a_decided_invoice_is_no_longer_shown(ledger):
    made, lease = doubtful(ledger, 2)
    a, b = made.invoice_ids
    ledger.write(doubts.settle_unknowable, lease, [a, b], because="x")
    assert ledger.write(invoices.settle, a, becomes=State.RETIRED, because="ana: not there")
    for _ in range(2):
        assert ledger.write(doubts.record_unresolved, made.batch_id) == [b]
    (shown,) = ledger.read(incidents.incidents_open)
    assert (shown.code, shown.invoice_id, shown.batch_id) == ("batch.unresolved", b, made.batch_id)
    assert shown.params == {"batch": made.batch_id, "notes": f"7-2 ({b})"}


def test_the_first_of_many_unresolved_are_named(ledger):
    made, lease = doubtful(ledger, 22)
    ledger.write(doubts.settle_unknowable, lease, made.invoice_ids, because="x")
    named = str(ledger.read(doubts.unresolved_of, made.batch_id).params["notes"])
    assert named.startswith(f"7-1 ({made.invoice_ids[0]}), 7-2 (")
    assert named.endswith(f"7-20 ({made.invoice_ids[19]}) …")


def test_a_first_note_waits_for_that_of_another_batch(ledger):
    (one, its), (other, theirs) = two_open(ledger)
    begun = ledger.write(posting.begin_posting, its, one.invoice_ids[:1], seconds=60, is_first=True)
    first = one.invoice_ids[0]

    def asks():
        before = ledger.read(scenes.contents)
        with pytest.raises(doubts.HeldBack) as held:
            ledger.write(posting.begin_posting, theirs, other.invoice_ids[:1], seconds=60, is_first=True)
        assert ledger.read(scenes.contents) == before
        assert held.value.batch_id == one.batch_id
        return held.value.why

    # A note on its way holds back no more than other first notes.
    assert asks() == "answer"
    assert ledger.read(doubts.held_back, other.batch_id) is None
    ledger.write(posting.end_posting, its, [scenes.answer(first, begun.attempts[first], outcome="in_doubt")])
    assert asks() == "doubt"
    assert ledger.read(doubts.held_back, other.batch_id).problem.code == "batch.first_in_doubt"
    assert ledger.read(doubts.held_back, one.batch_id) is None
    found = FoundNote(invoice_id=first, remote_id=71, state=State.CREATED)
    ledger.write(doubts.adopt_notes, its, [found])
    begun = ledger.write(posting.begin_posting, theirs, other.invoice_ids[:1], seconds=60, is_first=True)
    assert list(begun.attempts) == other.invoice_ids[:1]


@pytest.mark.parametrize("state", [State.PROCESSING, State.ACCEPTED, State.REJECTED])
def test_no_first_note_follows_one_that_was_issued_at_once(ledger, state):
    """No other batch posts its first note between the answer and its incident, nor later until somebody decides."""
    (one, its), (other, theirs) = two_open(ledger)
    first = one.invoice_ids[0]
    begun = ledger.write(posting.begin_posting, its, [first], seconds=60, is_first=True)
    strange = scenes.answer(first, begun.attempts[first], outcome="disturbed", observed=state, remote_id=71)
    ledger.write(posting.end_posting, its, [strange])
    ask = {"seconds": 60, "is_first": True}
    with pytest.raises(doubts.HeldBack) as held:
        ledger.write(posting.begin_posting, theirs, other.invoice_ids[:1], **ask)
    assert held.value.why == "answer"
    ledger.write(batches.disturb, one.batch_id, code=doubts.SUSPENDING, params={"number": 1, "field": "batch_id"})
    assert ledger.read(doubts.held_back, other.batch_id).why == "decision"
    with pytest.raises(doubts.HeldBack):
        ledger.write(posting.begin_posting, theirs, other.invoice_ids[:1], **ask)
    # A batch with known notes continues.
    assert ledger.write(posting.begin_posting, theirs, other.invoice_ids[:1], seconds=60).attempts


def test_of_many_simultaneous_first_notes_one_is_posted(ledger):
    scenes_of = [ledger.write(scenes.opened, 1, sha256=f"{n:064}", remote_id=600 + n) for n in range(6)]
    meeting = threading.Barrier(len(scenes_of))
    gone = []

    def begin(scene, lease):
        meeting.wait()
        try:
            ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60, is_first=True)
        except doubts.HeldBack:
            return
        gone.append(scene.batch_id)

    threads = [threading.Thread(target=begin, args=each) for each in scenes_of]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gone) == 1
