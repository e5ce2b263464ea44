"""Doubts and how they end: a note is adopted, proved absent by two listings, or left to a person."""

from datetime import timedelta

import pytest

from connectors.ledger import invoices
from connectors.ledger.issuance import posting
from connectors.ledger.observations.doubts import FoundNote, adopt_notes, settle_absent
from connectors.ledger.observations.patience import MOST_DOUBTS, quiet_after
from domain.states import InvoiceState
from tests.connectors.ledger import scene as scenes
from tests.connectors.ledger.issuance.test_posting import begun, states

State = InvoiceState


def prove_absent(ledger, lease, note, *, after=300):
    doubt = ledger.read(invoices.invoices_by_ids, [note])[0]
    first, second = (doubt.last_byte_at + timedelta(seconds=seconds) for seconds in (1, after))
    ledger.write(settle_absent, lease, [note], listed_at=first, quiet_s=300, request_timeout_s=30)
    return ledger.write(settle_absent, lease, [note], listed_at=second, quiet_s=300, request_timeout_s=30)


def doubtful(ledger, count=1):
    scene, lease, tried = begun(ledger, count)
    outcomes = [scenes.answer(each, tried[each], outcome="in_doubt") for each in scene.invoice_ids]
    ledger.write(posting.end_posting, lease, outcomes)
    return scene, lease


@pytest.mark.parametrize(
    ("looks", "fate"),
    [
        ([400], "waiting"),
        ([1, 200], "waiting"),
        ([1, 299.9], "waiting"),
        ([400, 400], "waiting"),  # The same listing twice counts once.
        ([1, 300], "reserved"),
        ([400, 401], "reserved"),
        ([1, 2, 3, 400], "reserved"),
    ],
)
def test_absence_takes_two_listings_with_quiet_time_between(ledger, looks, fate):
    scene, lease = doubtful(ledger)
    [note] = scene.invoice_ids
    last_byte_at = ledger.read(invoices.invoices_by_ids, [note])[0].last_byte_at
    settled = None
    for after in looks:
        at = last_byte_at + timedelta(seconds=after)
        settled = ledger.write(settle_absent, lease, [note], listed_at=at, quiet_s=300, request_timeout_s=30)
    assert getattr(settled, fate) == [note]
    assert states(ledger, [note]) == [State.RESERVED if fate == "reserved" else State.IN_DOUBT]


def test_quiet_time_after_a_takeover_starts_at_the_leases_end(ledger):
    scene, lease, _ = begun(ledger, 1)
    [note] = scene.invoice_ids
    ledger.write(scenes.age_lease, scene.batch_id, 120)
    taken = ledger.write(scenes.claimed, scene.batch_id, "other")
    assert taken.settle_after == lease.until - timedelta(seconds=120)
    doubt = ledger.read(invoices.invoices_by_ids, [note])[0]
    assert (doubt.state, doubt.last_byte_at) == (State.IN_DOUBT, taken.settle_after)
    for after, fate in ((1, "waiting"), (329, "waiting"), (331, "reserved")):
        at = taken.settle_after + timedelta(seconds=after)
        settled = ledger.write(settle_absent, taken, [note], listed_at=at, quiet_s=300, request_timeout_s=30)
        assert getattr(settled, fate) == [note]


def post_again(ledger, lease, note, outcome):
    again = ledger.write(posting.begin_posting, lease, [note], seconds=60)
    ledger.write(posting.end_posting, again.lease, [scenes.answer(note, again.attempts[note], outcome=outcome)])


def test_a_person_decides_only_after_the_last_doubt(ledger):
    """A provider that is only slow causes doubts, too: a look settles each."""
    scene, lease = doubtful(ledger)
    [note] = scene.invoice_ids
    for doubts in range(1, MOST_DOUBTS):
        assert prove_absent(ledger, lease, note, after=quiet_after(300, doubts)).reserved == [note]
        post_again(ledger, lease, note, "in_doubt")
    assert prove_absent(ledger, lease, note, after=quiet_after(300, MOST_DOUBTS)).unresolved == [note]
    assert states(ledger, [note]) == [State.UNRESOLVED]
    scenes.assert_journal_tells_states(ledger)


def test_each_doubt_doubles_the_quiet_time(ledger):
    scene, lease = doubtful(ledger)
    [note] = scene.invoice_ids
    assert prove_absent(ledger, lease, note).reserved == [note]
    post_again(ledger, lease, note, "in_doubt")
    assert prove_absent(ledger, lease, note, after=599).waiting == [note]
    assert prove_absent(ledger, lease, note, after=600).reserved == [note]


def test_a_refusal_after_a_doubt_is_for_a_person(ledger):
    """Another post would only be refused again."""
    scene, lease = doubtful(ledger)
    [note] = scene.invoice_ids
    assert prove_absent(ledger, lease, note).reserved == [note]
    post_again(ledger, lease, note, "refused")
    assert prove_absent(ledger, lease, note, after=600).unresolved == [note]


def test_a_note_that_had_an_id_is_never_absent(ledger):
    scene, lease, tried = begun(ledger, 1)
    [note] = scene.invoice_ids
    ledger.write(posting.end_posting, lease, [scenes.answer(note, tried[note], outcome="disturbed", remote_id=7)])
    assert prove_absent(ledger, lease, note).waiting == [note]


def test_a_found_note_is_adopted_with_its_id(ledger):
    scene, lease = doubtful(ledger, 3)
    a, b, c = scene.invoice_ids
    found = [
        FoundNote(invoice_id=a, remote_id=71, state=State.CREATED, answer_digest="x"),
        FoundNote(invoice_id=b, remote_id=72, state=State.PROCESSING),
    ]
    assert ledger.write(adopt_notes, lease, found) == [a, b]
    assert states(ledger, [a, b, c]) == [State.CREATED, State.PROCESSING, State.IN_DOUBT]
    assert ledger.read(invoices.invoices_by_ids, [a])[0].remote_id == 71
    assert ledger.write(adopt_notes, lease, found) == []


def test_a_refusal_after_a_doubt_is_a_doubt(ledger):
    scene, lease, tried = begun(ledger)
    note = scene.invoice_ids[0]
    ledger.write(posting.end_posting, lease, [scenes.answer(note, tried[note], outcome="in_doubt")])
    prove_absent(ledger, lease, note)
    again = ledger.write(posting.begin_posting, lease, [note], seconds=60)
    ended = ledger.write(
        posting.end_posting, again.lease, [scenes.answer(note, again.attempts[note], outcome="refused", status=422)]
    )
    assert ended.in_doubt == [note]
    assert ledger.read(invoices.invoices_by_ids, [note])[0].doubts == 2
