"""Groups of notes: intents before the first byte, outcomes under the fence, doubts and how they end."""

import re

import pytest
import sqlalchemy as sa

from connectors.ledger import attempts, batches, incidents, invoices, leases, numbers, tables
from connectors.ledger.database.sql import now
from connectors.ledger.engine import Ledger
from connectors.ledger.issuance import posting
from connectors.ledger.issuance.posting import PostOutcome
from connectors.ledger.observations.ages import unended_numbers
from connectors.ledger.observations.doubts import HeldBack
from connectors.ledger.observations.notes import NoteView, observe_notes
from domain.problems import Problem
from domain.states import InvoiceState
from tests import ledgers
from tests.connectors.ledger import scene as scenes

State = InvoiceState


def begun(ledger, count=4):
    scene, lease = ledger.write(scenes.opened, count)
    started = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    return scene, started.lease, started.attempts


def states(ledger, ids):
    found = ledger.read(scenes.states_of, ids)
    return [found[each] for each in ids]


def test_an_intent_is_a_state_a_journal_line_and_a_number_mark(ledger):
    scene, lease = ledger.write(scenes.opened)
    first = ledger.write(posting.begin_posting, lease, scene.invoice_ids[:1], seconds=600)
    assert set(first.attempts) == {scene.invoice_ids[0]}
    assert first.lease.until > lease.until
    assert first.lease.deadline > lease.deadline
    assert states(ledger, scene.invoice_ids) == [State.POSTING, State.RESERVED, State.RESERVED, State.RESERVED]
    assert ledger.read(numbers.serie_of, scene.emitter_id, "F").highest_posted == 1
    ledger.write(posting.begin_posting, first.lease, scene.invoice_ids[1:], seconds=60)
    assert ledger.read(numbers.serie_of, scene.emitter_id, "F").highest_posted == 4
    assert [each.outcome for each in ledger.read(attempts.unanswered_attempts, scene.batch_id)] == [None] * 4


def test_a_note_that_is_not_reserved_any_more_gets_no_attempt(ledger):
    scene, lease, _ = begun(ledger)
    again = ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    assert again.attempts == {}


def test_each_note_gets_the_attempt_that_names_it(ledger):
    scene, lease = ledger.write(scenes.opened, 6)
    for ids in (scene.invoice_ids[3:1:-1], scene.invoice_ids[::-1]):
        begun = ledger.write(posting.begin_posting, lease, ids, seconds=60)
        written = sa.select(tables.attempts.c.id, tables.attempts.c.invoice_id)
        found = {row.id: row.invoice_id for row in ledger.read(lambda conn, q=written: conn.execute(q).all())}
        assert {note: found[attempt] for note, attempt in begun.attempts.items()} == {
            each: each for each in begun.attempts
        }
    assert len(found) == 6


def test_every_outcome_has_its_state(ledger):
    scene, lease, tried = begun(ledger, 6)
    a, b, c, d, e, f = scene.invoice_ids
    ended = ledger.write(
        posting.end_posting,
        lease,
        [
            scenes.answer(a, tried[a]),
            scenes.answer(b, tried[b], outcome="not_sent"),
            scenes.answer(c, tried[c], outcome="refused", status=422, problems=(Problem("taker.missing", "city"),)),
            scenes.answer(d, tried[d], outcome="in_doubt", detail="ReadTimeout"),
            scenes.answer(e, tried[e], outcome="disturbed", remote_id=7, observed=State.PROCESSING, status=202),
            scenes.answer(f, tried[f], outcome="disturbed", status=404),
        ],
    )
    assert (ended.created, ended.reserved, ended.refused) == ([a], [b], [c])
    assert (ended.in_doubt, ended.observed, ended.clashing) == ([d, f], [e], [])
    assert states(ledger, scene.invoice_ids) == [
        State.CREATED, State.RESERVED, State.REFUSED, State.IN_DOUBT, State.PROCESSING, State.IN_DOUBT,
    ]  # fmt: skip
    made, refused, doubted = (ledger.read(invoices.invoices_by_ids, [each])[0] for each in (a, c, d))
    assert (made.remote_id, made.answer_digest) == (9_000 + a, f"answer {a}")
    assert [Problem.from_json(each).code for each in refused.errors] == ["taker.missing"]
    assert doubted.doubts == 1
    assert doubted.last_byte_at is not None
    assert {each.outcome for each in ledger.read(attempts.attempts_of, batch_id=scene.batch_id)} == {
        "done", "not_sent", "refused", "in_doubt", "disturbed",
    }  # fmt: skip
    # It was issued at once although its batch was never sent: that is an incident.
    assert [each.code for each in ledger.read(incidents.incidents_open)] == ["state.not_commanded"]
    assert ledger.read(batches.batch_of, scene.batch_id).must_list
    scenes.assert_journal_tells_states(ledger)


def test_complete_answers_require_no_listing(ledger):
    scene, lease, tried = begun(ledger)
    ledger.write(posting.end_posting, lease, [scenes.answer(each, tried[each]) for each in scene.invoice_ids])
    batch = ledger.read(batches.batch_of, scene.batch_id)
    assert not batch.must_list
    assert batch.last_answer_at is not None


def test_full_answers_close_the_journal_of_their_group(ledger):
    scene, lease, tried = begun(ledger)
    first, *others = [scenes.answer(each, tried[each]) for each in scene.invoice_ids]
    ledger.write(posting.end_posting, lease, [first])
    assert [each.id for each in ledger.read(attempts.unanswered_attempts, scene.batch_id)] == sorted(tried.values())[1:]
    ledger.write(posting.end_posting, lease, others)
    lines = ledger.read(attempts.attempts_of, batch_id=scene.batch_id)
    found = [(each.outcome, each.status, each.remote_id, each.last_byte_at) for each in lines]
    assert found == [("done", 201, each.remote_id, each.last_byte_at) for each in (first, *others)]
    assert all(each.ended_at for each in lines)


def test_a_note_of_another_batch_is_not_begun(ledger):
    other = ledger.write(scenes.furnish, sha256="b" * 64)
    scene, lease = ledger.write(scenes.opened)
    mixed = ledger.write(posting.begin_posting, lease, [*other.invoice_ids, *scene.invoice_ids], seconds=60)
    assert sorted(mixed.attempts) == scene.invoice_ids
    assert set(states(ledger, other.invoice_ids)) == {State.RESERVED}


def test_a_refused_note_retires_its_number_with_the_reason(ledger):
    scene, lease, tried = begun(ledger)
    first = scene.invoice_ids[0]
    ledger.write(posting.end_posting, lease, [scenes.answer(first, tried[first], outcome="refused", status=422)])
    retired = ledger.read(
        lambda conn: conn.execute(sa.select(tables.numbers).where(tables.numbers.c.retired_at.is_not(None))).all()
    )
    assert [(each.number, each.invoice_id) for each in retired] == [(1, first)]
    assert retired[0].retired_because == "refused: refused by the provider"
    assert (retired[0].serie, retired[0].number) not in ledger.read(unended_numbers, lease.batch_id)


def test_a_doubt_without_a_last_byte_is_as_young_as_it_can_be(ledger):
    """Otherwise a note of which nothing is known would be proved absent at once."""
    scene, lease, tried = begun(ledger, 1)
    [note] = scene.invoice_ids
    before = ledger.read(now)
    ledger.write(posting.end_posting, lease, [scenes.answer(note, tried[note], outcome="in_doubt", last_byte_at=None)])
    assert before <= ledger.read(invoices.invoices_by_ids, [note])[0].last_byte_at <= ledger.read(now)


def test_an_id_of_another_note_is_a_doubt_of_this_note_only(ledger):
    scene, lease, tried = begun(ledger)
    a, b, c, _ = scene.invoice_ids
    ended = ledger.write(
        posting.end_posting,
        lease,
        [scenes.answer(a, tried[a]), scenes.answer(b, tried[b], remote_id=9_000 + a), scenes.answer(c, tried[c])],
    )
    assert (ended.created, ended.in_doubt, ended.clashing) == ([a, c], [b], [b])
    later = ledger.write(
        posting.end_posting,
        lease,
        [scenes.answer(scene.invoice_ids[3], tried[scene.invoice_ids[3]], remote_id=9_000 + c)],
    )
    assert later.clashing == [scene.invoice_ids[3]]


def test_a_fence_that_moved_writes_nothing(ledger):
    scene, lease, tried = begun(ledger)
    ledger.write(scenes.age_lease, scene.batch_id, 120)
    ledger.write(scenes.claimed, scene.batch_id, "other")
    before = ledger.read(scenes.contents)
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.end_posting, lease, [scenes.answer(each, tried[each]) for each in scene.invoice_ids])
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)
    assert ledger.read(scenes.contents) == before


def test_an_expired_lease_writes_nothing_without_a_takeover(ledger):
    scene, lease, tried = begun(ledger)
    ledger.write(scenes.age_lease, scene.batch_id, 120)
    before = ledger.read(scenes.contents)
    for fn, argument in ((posting.end_posting, [scenes.answer(each, tried[each]) for each in scene.invoice_ids]),):
        with pytest.raises(leases.FenceLost):
            ledger.write(fn, lease, argument)
    assert ledger.read(scenes.contents) == before


def test_nothing_is_posted_into_a_batch_that_is_not_open(ledger):
    scene, lease = ledger.write(scenes.staged)
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.begin_posting, lease, scene.invoice_ids, seconds=60)


def test_a_listing_moves_notes_forward_and_never_back(ledger):
    scene, _ = ledger.write(scenes.staged)
    a, b, c, d = scene.invoice_ids
    views = [
        NoteView(invoice_id=a, state=State.ACCEPTED, nfse_number="77", nfse_key="k"),
        NoteView(invoice_id=b, state=State.REJECTED, errors=[{"code": "E916", "description": "x", "tip": "y"}]),
        NoteView(invoice_id=c, state=State.CREATED),
    ]
    assert ledger.write(observe_notes, scene.batch_id, views) == [a, b]
    late = [NoteView(invoice_id=a, state=State.PROCESSING)]
    assert ledger.write(observe_notes, scene.batch_id, late) == []
    accepted, rejected = ledger.read(invoices.invoices_by_ids, [a, b])
    assert (accepted.state, accepted.nfse_number, accepted.nfse_key) == (State.ACCEPTED, "77", "k")
    assert rejected.errors[0]["code"] == "E916"
    assert states(ledger, [c, d]) == [State.CREATED, State.CREATED]
    # We never sent the batch.
    opened = ledger.read(incidents.incidents_open, scene.batch_id)
    assert {(each.params["was"], each.params["becomes"]) for each in opened} == {
        ("created", "accepted"), ("created", "rejected"),
    }  # fmt: skip
    scenes.assert_journal_tells_states(ledger)


def test_one_group_ends_and_the_next_begins_in_one_transaction(ledger):
    scene, lease = ledger.write(scenes.opened)
    [one, two, *rest] = scene.invoice_ids
    group = ledger.write(posting.next_group, lease, [], [one, two], seconds=60)
    answers = [scenes.answer(each, group.begun.attempts[each]) for each in (one, two)]
    group = ledger.write(posting.next_group, group.begun.lease, answers, rest, seconds=60)
    assert (group.ended.created, sorted(group.begun.attempts), group.refused) == ([one, two], rest, None)
    answers = [scenes.answer(each, group.begun.attempts[each]) for each in rest]
    group = ledger.write(posting.next_group, group.begun.lease, answers, [], seconds=60)
    assert (group.ended.created, group.begun.attempts) == (rest, {})
    scenes.assert_journal_tells_states(ledger)


def test_nothing_begins_with_an_answer_of_a_known_id(ledger):
    scene, lease = ledger.write(scenes.opened)
    [one, two, *_] = scene.invoice_ids
    lease = ledger.write(scenes.post_all, lease, [one])
    begun = ledger.write(posting.begin_posting, lease, [two], seconds=60)
    twice = [scenes.answer(two, begun.attempts[two], remote_id=scenes.answer(one, 0).remote_id)]
    group = ledger.write(posting.next_group, begun.lease, twice, scene.invoice_ids[2:], seconds=60)
    assert (group.ended.clashing, group.begun.attempts, group.refused) == ([two], {}, None)
    assert states(ledger, scene.invoice_ids) == [State.CREATED, State.IN_DOUBT, State.RESERVED, State.RESERVED]


def test_an_answer_is_stored_even_if_no_more_may_be_posted(ledger):
    (scene, lease), (other, theirs) = (
        ledger.write(scenes.opened, sha256=sha * 64, remote_id=remote) for sha, remote in (("a", 500), ("b", 501))
    )
    ledger.write(posting.begin_posting, theirs, other.invoice_ids[:1], seconds=60, is_first=True)
    [one, two, *_] = scene.invoice_ids
    begun = ledger.write(posting.begin_posting, lease, [one], seconds=60)
    refused = [scenes.answer(one, begun.attempts[one], outcome="refused", status=422)]
    group = ledger.write(posting.next_group, begun.lease, refused, [two], seconds=60, is_first=True)
    assert isinstance(group.refused, HeldBack)
    assert (group.ended.refused, group.begun.attempts) == ([one], {})
    assert ledger.read(scenes.states_of, [one, two]) == {one: InvoiceState.REFUSED, two: InvoiceState.RESERVED}
    ledger.write(leases.evict, scene.batch_id)
    with pytest.raises(leases.FenceLost):
        ledger.write(posting.next_group, begun.lease, refused, [two], seconds=60)


def test_a_group_goes_in_a_handful_of_statements_however_large(ledger):
    scene, lease = ledger.write(scenes.opened, 128)
    counts = []

    def counted(fn, *args, **kwargs):
        statements = []

        def run(conn):
            sa.event.listen(conn, "before_cursor_execute", lambda *_: statements.append(1))
            return fn(conn, *args, **kwargs)

        made = ledger.write(run)
        counts.append(len(statements))
        return made

    small = counted(posting.begin_posting, lease, scene.invoice_ids[:2], seconds=60)
    large = counted(posting.begin_posting, small.lease, scene.invoice_ids[2:], seconds=60)
    for each in (small, large):
        counted(posting.end_posting, large.lease, [scenes.answer(*pair) for pair in each.attempts.items()])
    assert counts[0] == counts[1] <= 5
    assert counts[2] == counts[3] <= 5


def test_an_outcome_has_no_room_for_a_sentence():
    assert PostOutcome(attempt_id=1, invoice_id=1, outcome="not_sent").problems == ()


def test_postgresql_finds_answers_by_id_with_stale_statistics():
    plans = []

    def explain(conn, cursor, statement, parameters, *_):
        if "UPDATE invoices" in statement:
            cursor.execute(f"EXPLAIN {statement}", parameters)
            plans.append("\n".join(line for (line,) in cursor.fetchall()))

    with ledgers.postgresql_url() as url, Ledger.open(url) as ledger:
        scene, lease = ledger.write(scenes.opened, 300)
        ledger.write(lambda conn: conn.exec_driver_sql("ANALYZE"))
        tried = ledger.write(posting.begin_posting, lease, scene.invoice_ids[:150], seconds=60).attempts

        def ended(conn):
            sa.event.listen(conn, "before_cursor_execute", explain)
            return posting.end_posting(conn, lease, [scenes.answer(*pair) for pair in tried.items()])

        assert len(ledger.write(ended).created) == 150
    [plan] = plans
    assert "Join Filter" not in plan
    assert "state = 'posting'" not in "".join(re.findall("Index Cond.*", plan))
